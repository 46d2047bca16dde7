// All routes: each path with its methods, their access and their handlers. Under /v1 there are only the operations of
// the interface document.

import fastJson from "fast-json-stringify";
import type { FastifyInstance } from "fastify";
import { openApiText } from "../contract/openapi.ts";
import { type Operation, type OperationName, operations } from "../contract/operations.ts";
import { Pet, Pets } from "../contract/pet.ts";
import type { TraceContext } from "../contract/trace-context.ts";
import type { Store } from "../store/store.ts";
import type { BaseUrlOf } from "./base-url.ts";
import { createDeprecationNotice } from "./deprecation.ts";
import { addConsole, type ConsoleOptions } from "./pages/console.ts";
import { addDocsPage } from "./pages/docs-page.ts";
import { addFile, staticFile } from "./pages/static-files.ts";
import { addPath, type Route } from "./paths.ts";
import { createPetHandlers, type Handler } from "./pets.ts";
import { sendJson } from "./send-json.ts";

export interface RouteTableOptions extends ConsoleOptions {
	store: Store;
	/** The configured base address, if any; it ends with `/v1`. */
	baseUrl: string | undefined;
	baseUrlOf: BaseUrlOf;
	/** Their replies, as JSON. @throws ApiError when the service is not ready, or not live */
	probes: { live(): object; ready(): Promise<object> };
	/** Runs a handler, so that its calls of the store become spans. Undefined if spans are not exported. */
	runTraced?: (<Result>(trace: TraceContext | undefined, handler: () => Result) => Result) | undefined;
}

export function addRoutes(app: FastifyInstance, options: RouteTableOptions): void {
	addOperations(app, options);
	const openApi = () => staticFile("openapi.json", Buffer.from(openApiText(options.baseUrl)));
	addFile(app, "/openapi.json", openApi, { "access-control-allow-origin": "*" });
	const { live, ready } = options.probes;
	addPath(app, "/livez", [probe(async () => JSON.stringify(live()))]);
	addPath(app, "/readyz", [probe(async () => JSON.stringify(await ready()))]);
	addDocsPage(app, options.baseUrl);
	addConsole(app, options);
}

function addOperations(app: FastifyInstance, { store, baseUrlOf, runTraced }: RouteTableOptions): void {
	const petJson = fastJson({ ...Pet });
	const petsJson = fastJson({ ...Pets });
	const handlers = createPetHandlers({ store, baseUrlOf, petJson, petsJson });

	function runInTrace(handler: Handler): Handler {
		if (!runTraced) return handler;
		return (request, reply) => runTraced(request.raw.record?.trace, () => handler(request, reply));
	}

	function route(name: OperationName): Route {
		const { method, scope, query, body, deprecation }: Operation = operations[name];
		return {
			method,
			config: {
				operation: name,
				access: scope,
				acceptsBody: body !== undefined,
				...(deprecation && { deprecation: createDeprecationNotice(deprecation) }),
			},
			schema: { querystring: query, ...(body && { body }) },
			handler: runInTrace(handlers[name]),
		};
	}
	const paths = Object.groupBy(Object.keys(operations) as OperationName[], (name) => operations[name].path);
	for (const [path, names = []] of Object.entries(paths)) {
		addPath(app, `/v1${path.replace(/\{(\w+)\}/g, ":$1")}`, names.map(route));
	}
}

function probe(json: () => Promise<string>): Route {
	return {
		method: "GET",
		config: { access: "open", isProbe: true },
		handler: async (_request, reply) => sendJson(reply.header("cache-control", "no-cache"), await json()),
	};
}
