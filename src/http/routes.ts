// All routes: each path with its methods, their access and their handlers. Under /v1 there are only the operations of
// the interface (docs/interface.md).

import type { Activity, KeyInfo } from "../contract/console.ts";
import { toJson } from "../contract/json.ts";
import { type Operation, type OperationName, operations, type Scope } from "../contract/operations.ts";
import { createCategoryHandlers } from "./categories.ts";
import { callerOf } from "./checks.ts";
import { createEditHandlers } from "./edits.ts";
import type { Exchange, Handler, RouteRules } from "./exchange.ts";
import { createExportHandlers } from "./exports.ts";
import { find } from "./find.ts";
import { createImport } from "./imports.ts";
import { addPages, type PageOptions } from "./pages.ts";
import { createPetHandlers, type PetOptions } from "./pets.ts";
import type { RateLimits } from "./rate-limit.ts";
import { createDeprecationNotice } from "./reply-headers.ts";
import type { Router } from "./router.ts";

export interface RouteTableOptions extends PageOptions, PetOptions {
	/** The figures of the console. */
	activity: () => Promise<Activity>;
	limits: RateLimits;
	/** Begins to erase the names that edits have replaced. */
	eraseNames: () => void;
	/** Their replies. @throws ApiError when the service is not ready, or not live */
	probes: { live(): object; ready(): Promise<object> };
}

export interface OpsRouteOptions extends Pick<RouteTableOptions, "probes"> {
	metrics: { text(): Promise<string>; contentType: string };
}

export function addRoutes(router: Router, options: RouteTableOptions): void {
	addOperations(router, options);
	addProbes(router, options.probes);
	addPages(router, options);
	addPrivate(router, options);
}

/** The private endpoints of the console, which may change with it. */
function addPrivate(router: Router, options: RouteTableOptions): void {
	const { store, activity, eraseNames, limits } = options;
	const rules = { isPrivate: true, countedAs: "console" } as const;
	const get = (path: string, access: Scope | undefined, read: Read) =>
		router.add(path, { GET: { ...rules, access, handler: sendJson("no-store", read) } });
	const post = (path: string, access: Scope, read: Read, own: Partial<RouteRules> = {}) =>
		router.add(path, { POST: { ...rules, ...own, access, acceptsBody: true, handler: sendJson("no-store", read) } });
	get("/console/key", undefined, (exchange): KeyInfo => {
		const { id, name, scopes, secret } = callerOf(exchange);
		return { id, name, scopes, expiresAtMs: secret.expiresAtMs };
	});
	get("/console/activity", "metrics:read", activity);
	post("/console/imports", "pets:write", createImport(store, limits), { countedAs: "import" });
	const { edit, history } = createEditHandlers(store, eraseNames);
	post("/console/edits", "pets:edit", edit);
	get("/console/history", "pets:edit", history);
	const { list, change } = createCategoryHandlers(store.categories);
	router.add("/console/categories", {
		GET: { ...rules, access: "pets:read", handler: sendJson("no-store", list) },
		POST: { ...rules, access: "pets:edit", acceptsBody: true, handler: sendJson("no-store", change) },
	});
	get("/console/find", "pets:read", (exchange) => find(store, exchange));
	const { order, keyOf, download } = createExportHandlers(options, activity);
	post("/console/exports", "pets:read", order);
	router.add("/console/exports/:ticket", { GET: { ...rules, access: "pets:read", keyOf, handler: download } });
}

/** The routes of the operators' port. */
export function addOpsRoutes(router: Router, { metrics, probes }: OpsRouteOptions): void {
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
}

function addOperations(router: Router, options: PetOptions): void {
	const handlers = createPetHandlers(options);

	function rulesOf(name: OperationName): RouteRules {
		const { scope, body, deprecation }: Operation = operations[name];
		const rules = { operation: name, access: scope, acceptsBody: body !== undefined, handler: handlers[name] };
		return deprecation ? { ...rules, deprecation: createDeprecationNotice(deprecation) } : rules;
	}
	const paths = Object.groupBy(Object.keys(operations) as OperationName[], (name) => operations[name].path);
	for (const [path, names = []] of Object.entries(paths)) {
		const routes = Object.fromEntries(names.map((name) => [operations[name].method, rulesOf(name)]));
		router.add(`/v1${path.replace(/\{(\w+)\}/g, ":$1")}`, routes);
	}
}

function addProbes(router: Router, { live, ready }: RouteTableOptions["probes"]): void {
	const probe = (read: Read): RouteRules => ({
		access: "open",
		countedAs: "probe",
		handler: sendJson("no-cache", read),
	});
	router.add("/livez", { GET: probe(live) });
	router.add("/readyz", { GET: probe(ready) });
}

/** Returns the value to send, or a promise of it. */
type Read = (exchange: Exchange) => object;

function sendJson(cacheControl: string, read: Read): Handler {
	return async (exchange) => {
		exchange.header("cache-control", cacheControl).sendJson(toJson(await read(exchange)));
	};
}
