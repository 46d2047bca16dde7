// All routes: each path with its methods, their access and their handlers. Under /v1 there are only the operations of
// the interface document.

import { openApiText } from "../contract/openapi.ts";
import { type Operation, type OperationName, operations } from "../contract/operations.ts";
import type { Store } from "../store/store.ts";
import { createDeprecationNotice } from "./deprecation.ts";
import type { RouteRules } from "./exchange.ts";
import { addConsole, type ConsoleOptions } from "./pages/console.ts";
import { addDocsPage } from "./pages/docs-page.ts";
import { addFile, staticFile } from "./pages/static-files.ts";
import { createPetHandlers } from "./pets.ts";
import type { BaseUrlOf } from "./proxies.ts";
import type { Router } from "./router.ts";

export interface RouteTableOptions extends ConsoleOptions {
	store: Store;
	/** The configured base address, if any; it ends with `/v1`. */
	baseUrl: string | undefined;
	baseUrlOf: BaseUrlOf;
	/** Their replies, as JSON. @throws ApiError when the service is not ready, or not live */
	probes: { live(): object; ready(): Promise<object> };
}

export function addRoutes(router: Router, options: RouteTableOptions): void {
	addOperations(router, options);
	const openApi = () => staticFile("openapi.json", Buffer.from(openApiText(options.baseUrl)));
	addFile(router, "/openapi.json", openApi, { "access-control-allow-origin": "*" });
	const { live, ready } = options.probes;
	router.add("/livez", { GET: probe(async () => JSON.stringify(live())) });
	router.add("/readyz", { GET: probe(async () => JSON.stringify(await ready())) });
	addDocsPage(router, options.pagesFolder);
	addConsole(router, options);
}

function addOperations(router: Router, { store, baseUrlOf }: RouteTableOptions): void {
	const handlers = createPetHandlers(store, baseUrlOf);

	function rulesOf(name: OperationName): RouteRules {
		const { scope, body, deprecation }: Operation = operations[name];
		return {
			operation: name,
			access: scope,
			acceptsBody: body !== undefined,
			...(deprecation && { deprecation: createDeprecationNotice(deprecation) }),
			handler: handlers[name],
		};
	}
	const paths = Object.groupBy(Object.keys(operations) as OperationName[], (name) => operations[name].path);
	for (const [path, names = []] of Object.entries(paths)) {
		const routes = Object.fromEntries(names.map((name) => [operations[name].method, rulesOf(name)]));
		router.add(`/v1${path.replace(/\{(\w+)\}/g, ":$1")}`, routes);
	}
}

function probe(json: () => Promise<string>): RouteRules {
	return {
		access: "open",
		isProbe: true,
		handler: async (exchange) => exchange.header("cache-control", "no-cache").sendJson(await json()),
	};
}
