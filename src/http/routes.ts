// All routes: each path with its methods, their access and their handlers. Under /v1 there are only the operations of
// the interface document.

import { type Operation, type OperationName, operations } from "../contract/operations.ts";
import type { RouteRules } from "./exchange.ts";
import { addConsole, addDocsPage, addOpenApi, type ConsoleOptions } from "./pages/pages.ts";
import { createPetHandlers, type PetOptions } from "./pets.ts";
import { createDeprecationNotice } from "./reply-headers.ts";
import type { Router } from "./router.ts";

export interface RouteTableOptions extends ConsoleOptions, PetOptions {
	/** The configured base address, if any; it ends with `/v1`. */
	baseUrl: string | undefined;
	/** Their replies, as JSON. @throws ApiError when the service is not ready, or not live */
	probes: { live(): object; ready(): Promise<object> };
}

export interface OpsRouteOptions extends Pick<RouteTableOptions, "probes"> {
	metrics: { text(): Promise<string>; contentType: string };
}

export function addRoutes(router: Router, options: RouteTableOptions): void {
	addOperations(router, options);
	addOpenApi(router, options.baseUrl);
	addProbes(router, options);
	addDocsPage(router, options.pagesFolder);
	addConsole(router, options);
}

/** The routes of the operators' port. */
export function addOpsRoutes(router: Router, { metrics, probes }: OpsRouteOptions): void {
	addProbes(router, { probes });
	router.add("/metrics", {
		GET: {
			access: "open",
			countedAs: "metrics",
			handler: async (exchange) =>
				exchange
					.header("content-type", metrics.contentType)
					.header("cache-control", "no-store")
					.send(await metrics.text()),
		},
	});
}

function addOperations(router: Router, options: PetOptions): void {
	const handlers = createPetHandlers(options);

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

function addProbes(router: Router, { probes: { live, ready } }: Pick<RouteTableOptions, "probes">): void {
	router.add("/livez", { GET: probe(async () => JSON.stringify(live())) });
	router.add("/readyz", { GET: probe(async () => JSON.stringify(await ready())) });
}

function probe(json: () => Promise<string>): RouteRules {
	return {
		access: "open",
		countedAs: "probe",
		handler: async (exchange) => exchange.header("cache-control", "no-cache").sendJson(await json()),
	};
}
