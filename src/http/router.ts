// Finds the route of each request by path and method, runs the checks (checks.ts) and the route's handler, and answers
// failures. A path has a route for each method that it serves, and a route for all other methods, which answers 405.

import type { IncomingMessage } from "node:http";
import { ApiError } from "../contract/errors.ts";
import { bodyMaxBytes } from "../contract/limits.ts";
import type { Log } from "../contract/observed.ts";
import { StorageUnavailable, StoreBusy } from "../store/store.ts";
import { overloaded } from "./admission.ts";
import { type Check, handleChecked } from "./checks.ts";
import type { Exchange, Route, RouteRules } from "./exchange.ts";
import type { Cors } from "./reply-headers.ts";
import { withoutKeys } from "./reply-watch.ts";

export type Router = ReturnType<typeof createRouter>;

interface Endpoint {
	methods: ReadonlyMap<string, Route>;
	others: Route;
}

const unreachable = () => {
	throw new Error("the checks refuse every request to this route");
};
const unknownOpen: Route = { access: "open", handler: unreachable };
/** An unknown path below /v1 needs a key, so that callers without one cannot detect which paths exist. */
const unknownClosed: Route = { handler: unreachable };

export function createRouter() {
	const exact = new Map<string, Endpoint>();
	/** Endpoints by their path up to the parameter, including the slash before the parameter. */
	const withParameter = new Map<string, Endpoint>();
	const served = new Set<string>();
	/** `OPTIONS *` asks about the server as a whole (RFC 9110 §9.3.7). */
	const server: Route = {
		access: "open",
		path: "*",
		handler: (exchange) => exchange.header("allow", [...served].join(", ")).sendStatus(204),
	};

	/** Finds the route of a request. Also sets the path and the query of the exchange. */
	function find(exchange: Exchange): Route {
		const { url = "/", method = "" } = exchange.request;
		if (url === "*") return server;
		// RFC 9112 §3.2.2: if a target is an absolute URL, as for proxies, only its path is used and its host is ignored.
		const target = url.startsWith("/") ? url : url.replace(/^https?:\/\/[^/]*/i, "");
		// A target must not have a fragment. If it has one, the fragment is treated as the query.
		const mark = target.search(/[?#]/);
		const end = mark < 0 ? target.length : mark;
		exchange.query = target.slice(end + 1);
		const path = target.includes("%") ? decodePath(target.slice(0, end)) : target.slice(0, end);
		exchange.path = path;
		const endpoint = exact.get(path);
		if (endpoint) return endpoint.methods.get(method) ?? endpoint.others;
		const parent = withParameter.get(path.slice(0, path.lastIndexOf("/") + 1));
		if (!parent) return /^\/v1(?:[/?#]|$)/.test(decodeAscii(target)) ? unknownClosed : unknownOpen;
		return parent.methods.get(method) ?? parent.others;
	}

	return {
		/**
		 * Serves a path: its methods, OPTIONS, HEAD if it has GET, and 405 for all other methods. OPTIONS and 405 reveal
		 * methods, so they are open only if all routes of the path are open. @throws Error for a path that equals another
		 * @param path may end with a parameter, such as `/v1/pets/:petId`
		 */
		add(path: string, routes: Partial<Record<"GET" | "POST", RouteRules>>): void {
			const endpoint = endpointOf(path, routes);
			const parameter = path.indexOf("/:");
			const [table, key] = parameter < 0 ? [exact, path] : [withParameter, path.slice(0, parameter + 1)];
			if (table.has(key) || (parameter >= 0 && path.includes("/", parameter + 1)))
				throw new Error(`${path} cannot be served: a path is added once, and only its end may be a parameter`);
			table.set(key, endpoint);
			for (const method of endpoint.methods.keys()) served.add(method);
		},
		find,
	};
}

function endpointOf(path: string, routes: Partial<Record<"GET" | "POST", RouteRules>>): Endpoint {
	const methods = new Map<string, Route>();
	for (const [method, rules] of Object.entries(routes)) methods.set(method, { ...rules, path });
	const get = methods.get("GET");
	if (get) methods.set("HEAD", get);
	const allow = [...methods.keys(), "OPTIONS"].join(", ");
	const isOpen = [...methods.values()].every(({ access }) => access === "open");
	const isPrivate = [...methods.values()].some((route) => route.isPrivate);
	const shared: Pick<Route, "access" | "path" | "isPrivate"> = { path, isPrivate, ...(isOpen && { access: "open" }) };
	methods.set("OPTIONS", { ...shared, handler: (exchange) => exchange.header("allow", allow).sendStatus(204) });
	return { methods, others: { ...shared, allowedMethods: allow, handler: unreachable } };
}

/** `/%761` is `/v1` (RFC 3986 §6.2.2.2). Encoded slashes and invalid encodings stay, because no id has them. */
function decodePath(path: string): string {
	try {
		return decodeURI(path);
	} catch {
		return decodeAscii(path);
	}
}

function decodeAscii(text: string): string {
	return text.replace(/%([0-7][0-9a-f])/gi, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)));
}

export function createHandler(router: Router, checks: readonly Check[], log: Pick<Log, "error">, cors?: Cors) {
	return (exchange: Exchange): void => {
		try {
			const route = router.find(exchange);
			exchange.route = route;
			if (route.isPrivate) exchange.begin(); // Drops the headers for other origins.
			const preflight = route.isPrivate ? undefined : cors?.preflight(exchange.request);
			if (preflight) return void exchange.headers(preflight).sendStatus(204);
			void handleChecked(checks, exchange, route)?.catch((error) => sendFailure(log, exchange, error));
		} catch (error) {
			sendFailure(log, exchange, error);
		}
	};
}

/** If a connection has this many unsent 401s, the next ends it: pipelining without a key delays other clients. */
const refusalsMax = 4;

/** Answers a request that failed. The cause of a 5xx is logged with the request id and never sent to the caller. */
export function sendFailure(log: Pick<Log, "error">, exchange: Exchange, error: unknown): void {
	if (exchange.left?.aborted) return;
	const failure = toApiError(error);
	if (failure.status >= 500) logCause(log, failure, error, exchange);
	if (exchange.isRefused) return;
	// The handler failed after it had begun to reply: a partial reply must not look complete.
	if (exchange.response.headersSent) return void exchange.response.destroy();
	const isUnread = failure.code === "malformed_request" || failure.code === "body_too_large";
	const isStranger = failure.status === 401 && exchange.connection.unsentRefusals >= refusalsMax;
	exchange.fail(failure, isUnread || isStranger || hasUnreadBody(exchange.request));
}

/** Whether the rest of the body may be too long to read. */
function hasUnreadBody({ complete, headers }: IncomingMessage): boolean {
	const { "transfer-encoding": coding, "content-length": length = 0 } = headers;
	return !complete && (coding !== undefined || Number(length) > bodyMaxBytes);
}

/** Logs the cause of a 5xx; for a bug, also the request without body and key. Overload and stops have no cause. */
function logCause(log: Pick<Log, "error">, { code }: ApiError, error: unknown, exchange: Exchange): void {
	const { id, traceId, route, request } = exchange;
	const fields = { "error.type": code, requestId: id, trace_id: traceId };
	const { message: cause = String(error) } = Object(error);
	if (code === "storage_unavailable") log.error({ ...fields, cause }, "request failed");
	if (code !== "internal_error") return;
	const bug = {
		...fields,
		"http.request.method": request.method,
		"http.route": route?.path,
		url: withoutKeys(request.url),
		"http.request.body.size": request.headers["content-length"],
		"http.request.header.content-type": request.headers["content-type"],
		err: error,
	};
	log.error(bug, "request failed");
}

function toApiError(error: unknown): ApiError {
	if (error instanceof ApiError) return error;
	if (error instanceof StoreBusy) return overloaded(error.retryAfterMs);
	return new ApiError(error instanceof StorageUnavailable ? "storage_unavailable" : "internal_error");
}
