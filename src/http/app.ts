// The HTTP application: each request of the public port gets its route (routes.ts), passes the checks (checks.ts), and
// is answered by the route's handler. All errors have one format (errors.ts).

import type { IncomingMessage, Server } from "node:http";
import type { Logger } from "pino";
import { traceParentOf } from "../contract/trace-context.ts";
import type { KeyCheck } from "../keys/key-check.ts";
import type { Rate } from "../keys/rate.ts";
import { createChecks, runChecks } from "./checks.ts";
import { createErrorHandler } from "./errors.ts";
import type { Exchange } from "./exchange.ts";
import { createHttpServer, type ServerOptions } from "./listen.ts";
import { type LoadLimits, watchOverload } from "./overload.ts";
import { createBaseUrlOf, type LinkOptions } from "./proxies.ts";
import { createRateLimits } from "./rate-limit.ts";
import type { RefusalOptions, Refusals } from "./refusals.ts";
import type { ReplyWatch } from "./reply-watch.ts";
import { createRouter } from "./router.ts";
import { addRoutes, type RouteTableOptions } from "./routes.ts";
import { createTurns } from "./turns.ts";

export interface AppOptions
	extends Pick<RefusalOptions, "fixedHeaders" | "cors">,
		LinkOptions,
		Omit<RouteTableOptions, "baseUrlOf"> {
	log: Logger;
	keyCheck: KeyCheck;
	defaultRate: Rate | undefined;
	/** Milliseconds since 1970. */
	now: () => number;
	server: ServerOptions & { replyWatch: ReplyWatch };
	refusals: Refusals;
	loadLimits?: LoadLimits | undefined;
	isStopping: () => boolean;
}

export interface App {
	/** Of the public port; it does not listen yet. */
	server: Server;
	/** Call it after the server has ended. */
	close(): void;
}

export function buildApp(options: AppOptions): App {
	const { store, keyCheck, cors, isTrustedProxy, log, now, isStopping } = options;
	const sendError = createErrorHandler(log);
	const turns = createTurns();
	const overload = watchOverload({ queue: store.queue, limits: options.loadLimits, readWaitMs: turns.readWaitMs });
	const baseUrlOf = createBaseUrlOf(options);
	const limits = createRateLimits(options.defaultRate);
	const checks = createChecks({ overload, keyCheck, limits, now, baseUrlOf, isTrustedProxy });
	const router = createRouter();
	addRoutes(router, { ...options, baseUrlOf });
	const fixedFields = Object.entries(options.fixedHeaders).flat();

	function begin(exchange: Exchange): void {
		exchange.beginReply(fixedFields);
		cors.addHeaders(exchange);
		if (exchange.trace) exchange.header("traceparent", traceParentOf(exchange.trace));
		exchange.isStopping = isStopping;
	}

	/** @returns a promise only if something must wait */
	function answer(exchange: Exchange): Promise<void> | void {
		begin(exchange);
		const route = router.find(exchange);
		const preflight = cors.preflight(exchange.request);
		if (preflight) return exchange.headers(preflight).sendStatus(204);
		const pending = runChecks(checks, exchange, route);
		return pending ? pending.then(() => route.handler(exchange)) : route.handler(exchange);
	}

	function handle({ exchange }: IncomingMessage): void {
		if (!exchange) throw new Error("the server must watch its replies");
		try {
			answer(exchange)?.catch((error) => sendError(exchange, error));
		} catch (error) {
			sendError(exchange, error);
		}
	}

	return { server: createHttpServer(handle, options.refusals, { ...options.server, turns }), close: overload.stop };
}
