// The HTTP application: Fastify with the checks of checks.ts, the routes of routes.ts and one format for all errors.

import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from "fastify";
import type { Logger } from "pino";
import { bodyMaxBytes } from "../contract/operations.ts";
import { traceParentOf } from "../contract/trace-context.ts";
import type { KeyCheck } from "../keys/key-check.ts";
import type { Rate } from "../keys/rate.ts";
import { createBaseUrlOf, type LinkOptions } from "./base-url.ts";
import { createChecks, type Exchange, type RouteRules, routeNotFound, runChecks } from "./checks.ts";
import { createCors } from "./cors.ts";
import { createErrorHandler } from "./errors.ts";
import { createHttpServer, type ServerOptions } from "./listen.ts";
import { METHODS } from "./node-http.ts";
import { type LoadLimits, watchOverload } from "./overload.ts";
import { petNotFound } from "./pets.ts";
import { createRateLimits } from "./rate-limit.ts";
import type { RefusalOptions, Refusals } from "./refusals.ts";
import { addRoutes, type RouteTableOptions } from "./routes.ts";
import { addValidation } from "./validation.ts";

export interface AppOptions
	extends Pick<RefusalOptions, "requestId" | "fixedHeaders">,
		LinkOptions,
		Omit<RouteTableOptions, "baseUrlOf"> {
	log: Logger;
	keyCheck: KeyCheck;
	defaultRate: Rate | undefined;
	corsOrigins: string[];
	/** Milliseconds since 1970. */
	now: () => number;
	server: ServerOptions;
	refusals: Refusals;
	loadLimits?: LoadLimits | undefined;
	isStopping: () => boolean;
}

export function buildApp(options: AppOptions): FastifyInstance {
	const { store, keyCheck, isTrustedProxy, log, now, isStopping } = options;
	const app = Fastify({
		bodyLimit: bodyMaxBytes,
		genReqId: options.requestId,
		routerOptions: { maxParamLength: 16 * 1024 },
		rewriteUrl: ({ url = "/" }) => originForm(url),
		serverFactory: (handler) => createHttpServer(handler, options.refusals, options.server),
		clientErrorHandler: () => {}, // listen.ts has its own handler.
		frameworkErrors: (_error, request, reply) => void refuseUndecodablePath(request, reply),
	});
	const sendError = createErrorHandler(log);
	app.setErrorHandler(sendError);
	app.decorateRequest("caller");
	app.decorateRequest("idempotencyKey");
	for (const method of METHODS) if (!app.supportedMethods.includes(method)) app.addHttpMethod(method);
	app.addHttpMethod("OPTIONS", { overrideExisting: true }); // Its body is not read.

	const overload = watchOverload({ queue: store.queue, limits: options.loadLimits });
	app.addHook("onClose", async () => overload.stop());
	const baseUrlOf = createBaseUrlOf(options);
	const limits = createRateLimits(options.defaultRate);
	const checks = createChecks({ overload, keyCheck, limits, now, baseUrlOf, isTrustedProxy });
	const cors = createCors(options.corsOrigins);

	function begin(exchange: Exchange): void {
		const { request, reply } = exchange;
		if (request.raw.record) request.raw.record.app = exchange;
		reply.headers(options.fixedHeaders).headers(cors.headers(request)).header("x-request-id", request.id);
		const trace = request.raw.record?.trace;
		if (trace) reply.header("traceparent", traceParentOf(trace));
		if (isStopping()) reply.header("connection", "close");
	}

	app.addHook("onRequest", (request, reply, done) => {
		const rules = request.is404 ? rulesForUnknownPath(request.url) : request.routeOptions.config;
		const exchange = { request, reply, rules };
		begin(exchange);
		const preflight = cors.preflight(request);
		if (preflight) return void reply.code(204).headers(preflight).send();
		const pending = runChecks(checks, exchange);
		if (pending) pending.then(() => done(), done);
		else done();
	});

	/** Handles a path with invalid percent-encoding, which matches no route. All checks still run. */
	async function refuseUndecodablePath(request: FastifyRequest, reply: FastifyReply): Promise<void> {
		const isPet = /^\/v1\/pets\/[^/?]+(?:\?|$)/.test(request.url);
		const rules = { ...rulesForUnknownPath(request.url), isUnknownPath: !isPet };
		try {
			const exchange = { request, reply, rules };
			begin(exchange);
			await runChecks(checks, exchange);
			throw isPet ? petNotFound() : routeNotFound();
		} catch (error) {
			sendError(error, request, reply);
		}
	}

	addValidation(app);
	addRoutes(app, { ...options, baseUrlOf });
	return app;
}

/** RFC 9112 §3.2.2: of a proxy's absolute-form target, only the path is used; its host is ignored. */
function originForm(url: string): string {
	if (url === "*") return "/*"; // The server as a whole has no route.
	return url.startsWith("/") ? url : url.replace(/^https?:\/\/[^/]*/i, "");
}

/** An unknown path below /v1 needs a key, so that callers without one cannot detect which paths exist. */
function rulesForUnknownPath(url: string): RouteRules {
	const isClosed = /^\/v1(?:[/?#]|$)/.test(url.includes("%") ? decodeAscii(url) : url);
	return isClosed ? { isUnknownPath: true } : { isUnknownPath: true, access: "open" };
}

/** `/%761` is `/v1` (RFC 3986 §6.2.2.2). */
function decodeAscii(url: string): string {
	return url.replace(/%([0-7][0-9a-f])/gi, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)));
}
