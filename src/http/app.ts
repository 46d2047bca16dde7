// The HTTP applications of both ports: each request gets its route (routes.ts), passes the checks (checks.ts), and is
// answered by the route's handler. Failures other than ApiError are converted first.

import type { IncomingMessage } from "node:http";
import type { Rate } from "../contract/durations.ts";
import { ApiError } from "../contract/errors.ts";
import { bodyMaxBytes } from "../contract/limits.ts";
import type { Log } from "../contract/observed.ts";
import type { KeyCheck } from "../keys/key-check.ts";
import { StorageUnavailable, StoreBusy } from "../store/store.ts";
import { type Check, createChecks, createOpsChecks, handleChecked } from "./checks.ts";
import type { HttpServer } from "./connection.ts";
import type { Exchange } from "./exchange.ts";
import { createHttpServer, type ServerOptions } from "./listen.ts";
import { type LoadLimits, overloaded, type Processor, watchOverload } from "./overload.ts";
import { createBaseUrlOf, type LinkOptions } from "./proxies.ts";
import { createRateLimits } from "./rate-limit.ts";
import { withoutKeys } from "./reply-watch.ts";
import { createRouter, type Router } from "./router.ts";
import { addOpsRoutes, addRoutes, type OpsRouteOptions, type RouteTableOptions } from "./routes.ts";

export interface AppOptions extends LinkOptions, Omit<RouteTableOptions, "limits"> {
	log: Log;
	keyCheck: KeyCheck;
	defaultRate: Rate | undefined;
	server: ServerOptions;
	loadLimits?: LoadLimits | undefined;
	processor: Processor;
}

/** The public port, which does not listen yet. Call `close` after its server has ended. */
export function buildApp(options: AppOptions) {
	const { store, keyCheck, now, processor, loadLimits } = options;
	const overload = watchOverload(store.queue, processor, loadLimits);
	const limits = createRateLimits(options.defaultRate);
	const checks = createChecks({ overload, keyCheck, limits, now, baseUrlOf: createBaseUrlOf(options) });
	const router = createRouter();
	addRoutes(router, { ...options, limits });
	const server = createHttpServer(createHandler(router, checks, options), options.server);
	return { server, close: overload.stop };
}

type OpsOptions = OpsRouteOptions & Pick<AppOptions, "log" | "server"> & { host: string };

/**
 * The operators' port, separate from the public one: metrics and health. It does not listen yet.
 * @param options `host` is the name or address that it listens on
 */
export function buildOpsServer(options: OpsOptions): HttpServer {
	const router = createRouter();
	addOpsRoutes(router, options);
	return createHttpServer(createHandler(router, createOpsChecks(options.host), options), options.server);
}

function createHandler(router: Router, checks: readonly Check[], { log, server }: Pick<AppOptions, "log" | "server">) {
	const { cors } = server.replyHead;
	return (exchange: Exchange): void => {
		try {
			const route = router.find(exchange);
			exchange.route = route;
			if (route.isPrivate) exchange.begin(); // Without the headers for other origins.
			const preflight = route.isPrivate ? undefined : cors?.preflight(exchange.request);
			if (preflight) return void exchange.headers(preflight).sendStatus(204);
			void handleChecked(checks, exchange, route)?.catch((error) => sendFailure(log, exchange, error));
		} catch (error) {
			sendFailure(log, exchange, error);
		}
	};
}

/** Answers a request that failed. The cause of a 5xx is logged with the request id and never sent to the caller. */
export function sendFailure(log: Pick<Log, "error">, exchange: Exchange, error: unknown): void {
	const failure = toApiError(error);
	if (failure.status >= 500) logCause(log, failure, error, exchange);
	if (exchange.isRefused) return;
	// A bug in a handler that had already answered: the rest of the reply must not look complete.
	if (exchange.response.headersSent) return void exchange.response.destroy();
	const isUnread = failure.code === "malformed_request" || failure.code === "body_too_large";
	exchange.fail(failure, isUnread || hasUnreadBody(exchange.request));
}

/** Whether the rest of the body may be too long to read. */
function hasUnreadBody({ complete, headers }: IncomingMessage): boolean {
	const { "transfer-encoding": coding, "content-length": length = 0 } = headers;
	return !complete && (coding !== undefined || Number(length) > bodyMaxBytes);
}

/** Logs all of the request that led to a bug, except its body and its credential. Overload and stops have no cause. */
function logCause(log: Pick<Log, "error">, { code }: ApiError, error: unknown, exchange: Exchange): void {
	const { id, trace, route, request } = exchange;
	const fields = { "error.type": code, requestId: id, trace_id: trace?.traceId };
	const { message: cause = String(error) } = Object(error);
	if (code === "storage_unavailable") log.error({ ...fields, cause }, "request failed");
	if (code !== "internal_error") return;
	const bug = {
		...fields,
		"http.request.method": request.method,
		"http.route": route?.path,
		url: route?.keyOf ? undefined : withoutKeys(request.url), // The path of a download is a ticket.
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
