// Both ports with all their routes: each path with its methods, their access and their handlers.

import type { Rate } from "../contract/durations.ts";
import { toJson } from "../contract/json.ts";
import type { Log } from "../contract/observed.ts";
import { type Operation, type OperationName, operations, type Scope } from "../contract/operations.ts";
import type { KeyCheck } from "../keys/key-check.ts";
import { createRateLimits, type LoadLimits, type Processor, type RateLimits, watchOverload } from "./admission.ts";
import { createChecks, createCredentialCheck, createOpsChecks } from "./checks.ts";
import type { HttpServer } from "./connection.ts";
import { type ConsoleOptions, createConsoleHandlers } from "./console.ts";
import type { Exchange, Handler, RouteRules } from "./exchange.ts";
import { createFindHandlers } from "./find.ts";
import { createHttpServer, type ServerOptions } from "./listen.ts";
import { addPages } from "./pages.ts";
import { createPetHandlers, type PetOptions } from "./pets.ts";
import { createBaseUrlOf, type LinkOptions } from "./proxies.ts";
import { createHandler, createRouter, type Router } from "./router.ts";
import { createUnsent } from "./unsent.ts";

interface PortOptions {
	log: Log;
	server: ServerOptions;
	/** The replies of /livez and /readyz. @throws ApiError when the service is not ready, or not live */
	probes: { live(): object; ready(): Promise<object> };
}

export interface AppOptions extends PortOptions, LinkOptions, PetOptions, ConsoleOptions {
	keyCheck: KeyCheck;
	defaultRate: Rate | undefined;
	loadLimits?: LoadLimits | undefined;
	processor: Processor;
	/** The folder of the built pages. Missing pages are not served. */
	pagesFolder: string;
}

/** The public port, which does not listen yet. Call `close` after its server has ended. */
export function buildApp(options: AppOptions) {
	const { store, keyCheck, now, processor, loadLimits, log, server } = options;
	const overload = watchOverload(store.queue, processor, loadLimits);
	const limits = createRateLimits(options.defaultRate);
	const router = createRouter();
	addOperations(router, options);
	addProbes(router, options.probes);
	addPages(router, options.baseUrl, options.pagesFolder);
	addPrivate(router, options, limits);
	const checks = createChecks({ overload, keyCheck, limits, now, baseUrlOf: createBaseUrlOf(options) });
	const handler = createHandler(router, checks, log, server.cors);
	const own = { unsent: createUnsent(), checkAgain: createCredentialCheck(keyCheck) };
	return { server: createHttpServer(handler, { ...server, ...own }), close: overload.stop };
}

interface OpsOptions extends PortOptions {
	/** The name or address that the port listens on. */
	host: string;
	metrics: { text(): Promise<string>; contentType: string };
}

/** The operators' port, separate from the public one: metrics and health. It does not listen yet. */
export function buildOpsServer({ host, log, metrics, probes, server }: OpsOptions): HttpServer {
	const router = createRouter();
	addProbes(router, probes);
	router.add("/metrics", {
		GET: {
			access: "open",
			countedAs: "metrics",
			async handler(exchange) {
				exchange.headers({ "content-type": metrics.contentType, "cache-control": "no-store" });
				exchange.send(await metrics.text());
			},
		},
	});
	return createHttpServer(createHandler(router, createOpsChecks(host), log), server);
}

function addOperations(router: Router, options: PetOptions): void {
	const handlers = createPetHandlers(options);

	function rulesOf(name: OperationName): RouteRules {
		const { scope, body, deprecation }: Operation = operations[name];
		return { operation: name, access: scope, acceptsBody: body !== undefined, deprecation, handler: handlers[name] };
	}
	const paths = Object.groupBy(Object.keys(operations) as OperationName[], (name) => operations[name].path);
	for (const [path, names = []] of Object.entries(paths)) {
		const routes = Object.fromEntries(names.map((name) => [operations[name].method, rulesOf(name)]));
		router.add(`/v1${path.replace(/\{(\w+)\}/g, ":$1")}`, routes);
	}
}

function addProbes(router: Router, { live, ready }: PortOptions["probes"]): void {
	const probe = (read: Read): RouteRules => ({
		access: "open",
		countedAs: "probe",
		handler: sendJson("no-cache", read),
	});
	router.add("/livez", { GET: probe(live) });
	router.add("/readyz", { GET: probe(ready) });
}

/** The console's private endpoints, which may change with the console. */
function addPrivate(router: Router, options: AppOptions, limits: RateLimits): void {
	const { find, exportPets } = createFindHandlers(options);
	const handlers = createConsoleHandlers(options, limits);
	type Line = ["GET" | "POST", path: string, access: Scope | undefined, Handler, countedAs?: "import"];
	const json = (read: Read) => sendJson("no-store", read);
	const lines: Line[] = [
		["GET", "/console/key", undefined, json(handlers.showKey)],
		["GET", "/console/activity", "pets:read", json(handlers.showActivity)],
		["GET", "/console/find", "pets:read", json(find)],
		["POST", "/console/imports", "pets:write", json(handlers.importRows), "import"],
		["GET", "/console/imports/rows", "pets:write", json(handlers.importedRows)],
		["POST", "/console/edits", "pets:edit", json(handlers.edit)],
		["GET", "/console/history", "pets:read", json(handlers.listHistory)],
		["GET", "/console/changes", "pets:read", json(handlers.listChanges)],
		["GET", "/console/categories", "pets:read", json(handlers.listCategories)],
		["POST", "/console/categories", "pets:edit", json(handlers.changeCategories)],
		["POST", "/console/exports", "pets:read", exportPets],
	];
	for (const [path, routes] of Map.groupBy(lines, ([, path]) => path)) {
		const rules = routes.map(([method, , access, handler, countedAs]): [string, RouteRules] => [
			method,
			{ isPrivate: true, countedAs: countedAs ?? "console", access, acceptsBody: method === "POST", handler },
		]);
		router.add(path, Object.fromEntries(rules));
	}
}

/** Returns the value to send, or a promise of it. */
type Read = (exchange: Exchange) => object;

function sendJson(cacheControl: string, read: Read): Handler {
	return async (exchange) => {
		exchange.header("cache-control", cacheControl).sendJson(toJson(await read(exchange)));
	};
}
