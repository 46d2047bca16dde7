// The HTTP applications of both ports: each request gets its route (routes.ts), passes the checks (checks.ts), and is
// answered by the route's handler. Its failures are sent by refusals.ts.

import type { Rate } from "../contract/durations.ts";
import type { Log } from "../contract/observed.ts";
import type { KeyCheck } from "../keys/key-check.ts";
import { type Check, createChecks, createOpsChecks, handleChecked } from "./checks.ts";
import type { HttpServer } from "./connection.ts";
import type { Exchange } from "./exchange.ts";
import { createHttpServer, type ServerOptions } from "./listen.ts";
import { type LoadLimits, type Processor, watchOverload } from "./overload.ts";
import { createBaseUrlOf, type LinkOptions } from "./proxies.ts";
import { createRateLimits } from "./rate-limit.ts";
import { sendFailure } from "./refusals.ts";
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
	const overload = watchOverload({ queue: store.queue, limits: loadLimits, processor });
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
			if (route.isPrivate) exchange.begin(); // Without the headers for other origins.
			const preflight = route.isPrivate ? undefined : cors?.preflight(exchange.request);
			if (preflight) return void exchange.headers(preflight).sendStatus(204);
			void handleChecked(checks, exchange, route)?.catch((error) => sendFailure(log, exchange, error));
		} catch (error) {
			sendFailure(log, exchange, error);
		}
	};
}
