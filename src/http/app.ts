// The contract spoken over HTTP: Fastify with our checks (checks.ts), our routes (routes.ts) and our one shape of
// failure.

import { METHODS } from "node:http";
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from "fastify";
import { bodyMaxBytes } from "../contract/operations.ts";
import type { KeyCheck } from "../keys/key-check.ts";
import type { Rate } from "../keys/rate.ts";
import { createChecks, type RouteRules, routeNotFound, runChecks } from "./checks.ts";
import { createCors } from "./cors.ts";
import { createErrorHandler } from "./errors.ts";
import { createHttpServer, type ServerOptions } from "./listen.ts";
import { watchOverload } from "./overload.ts";
import { petNotFound } from "./pets.ts";
import { createRateLimits } from "./rate-limit.ts";
import type { RefusalOptions, Refusals } from "./refusals.ts";
import { logReplies } from "./reply-log.ts";
import { addRoutes, type RouteTableOptions } from "./routes.ts";
import { addValidation } from "./validation.ts";

export interface AppOptions extends RefusalOptions, Omit<RouteTableOptions, "baseUrlOf"> {
	keyCheck: KeyCheck;
	/** The base address where it is configured; it ends with `/v1`. */
	baseUrl: string | undefined;
	defaultRate: Rate | undefined;
	corsOrigins: string[];
	/** Milliseconds since 1970. */
	now: () => number;
	server: ServerOptions;
	refusals: Refusals;
	/** Mean delay of the event loop from which on requests are refused. */
	delayMaxMs?: number | undefined;
	isStopping: () => boolean;
}

export function buildApp(options: AppOptions): FastifyInstance {
	const { store, keyCheck, baseUrl, log, now, isStopping } = options;
	const app = Fastify({
		bodyLimit: bodyMaxBytes,
		return503OnClosing: false,
		genReqId: options.requestId,
		routerOptions: { maxParamLength: 16 * 1024 },
		rewriteUrl: ({ url = "/" }) => originForm(url),
		serverFactory: (handler) => createHttpServer(handler, options.refusals, options.server),
		clientErrorHandler: () => {}, // The server has its own.
		frameworkErrors: (_error, request, reply) => void refuseUndecodablePath(request, reply),
	});
	const sendError = createErrorHandler(log);
	app.setErrorHandler(sendError);
	app.decorateRequest("caller");
	app.decorateRequest("idempotencyKey");
	for (const method of METHODS) if (!app.supportedMethods.includes(method)) app.addHttpMethod(method);

	const overload = watchOverload(() => store.queueLength, options.delayMaxMs);
	app.addHook("onClose", async () => overload.stop());
	const baseUrlOf = (request: FastifyRequest) => baseUrl ?? `http://${hostOf(request)}/v1`;
	const limits = createRateLimits(options.defaultRate);
	const checks = createChecks({ overload, keyCheck, limits, now, baseUrlOf });
	const cors = createCors(options.corsOrigins);

	function addFixedHeaders(request: FastifyRequest, reply: FastifyReply): void {
		reply.headers(options.fixedHeaders).headers(cors.headers(request)).header("x-request-id", request.id);
		if (isStopping()) reply.header("connection", "close");
	}

	app.addHook("onRequest", (request, reply, done) => {
		addFixedHeaders(request, reply);
		const preflight = cors.preflight(request);
		if (preflight) return void reply.code(204).headers(preflight).send();
		const rules = request.is404 ? rulesForUnknownPath(request.url) : request.routeOptions.config;
		const waiting = runChecks(checks, { request, reply, rules });
		if (waiting) waiting.then(() => done(), done);
		else done();
	});

	/** A path whose percent-encoding is broken comes here instead of to a route, but skips no check. */
	async function refuseUndecodablePath(request: FastifyRequest, reply: FastifyReply): Promise<void> {
		const isPet = /^\/v1\/pets\/[^/?]+(?:\?|$)/.test(request.url);
		const rules = { ...rulesForUnknownPath(request.url), isUnknownPath: !isPet };
		try {
			addFixedHeaders(request, reply);
			await runChecks(checks, { request, reply, rules });
			throw isPet ? petNotFound() : routeNotFound();
		} catch (error) {
			sendError(error, request, reply);
		}
	}

	addValidation(app);
	addRoutes(app, { ...options, baseUrlOf });
	logReplies(app, options);
	return app;
}

/** RFC 9112 §3.2.2: a proxy's absolute-form target means its path; its host is not looked at. */
function originForm(url: string): string {
	return url.startsWith("/") ? url : url.replace(/^https?:\/\/[^/]*|^\*$/i, "") || "/";
}

/**
 * Who is told that there is nothing at a path. Below /v1 that needs a key, so that nobody else learns what there is.
 */
function rulesForUnknownPath(url: string): RouteRules {
	const isClosed = /^\/v1(?:[/?#]|$)/.test(url.includes("%") ? decodeAscii(url) : url);
	return isClosed ? { isUnknownPath: true } : { isUnknownPath: true, access: "open" };
}

/** `/%761` is `/v1` (RFC 3986 §6.2.2.2). */
function decodeAscii(url: string): string {
	return url.replace(/%([0-7][0-9a-f])/gi, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)));
}

/** HTTP/1.0 may leave out the Host. */
function hostOf({ raw }: FastifyRequest): string {
	return raw.headers.host ?? `${raw.socket.localAddress}:${raw.socket.localPort}`;
}
