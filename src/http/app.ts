// The contract spoken over HTTP. The checks of a request stand here in their order: framing, overload, credential, rate, route and
// method, headers, query and body, the operation.

import { METHODS } from "node:http";
import fastJson from "fast-json-stringify";
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest, type RouteOptions } from "fastify";
import type { Logger } from "pino";
import { ApiError } from "../contract/errors.ts";
import { openApiText } from "../contract/openapi.ts";
import { bodyMaxBytes, type Operation, type OperationName, operations } from "../contract/operations.ts";
import { Pet, Pets } from "../contract/pet.ts";
import { checkNewPet, queryCheck } from "../contract/validate.ts";
import type { KeyCheck } from "../keys/key-check.ts";
import type { Rate } from "../keys/rate.ts";
import type { KeyRow, Store } from "../store/store.ts";
import { authenticate, requireScope } from "./auth.ts";
import { readJson } from "./body.ts";
import { addConsole } from "./console.ts";
import { createCors } from "./cors.ts";
import { deprecationNotice } from "./deprecation.ts";
import { addDocsPage } from "./docs-page.ts";
import { errorHandler } from "./errors.ts";
import { checkBodyHeaders, checkExpectation, checkFraming } from "./framing.ts";
import { readIdempotencyKey } from "./idempotency.ts";
import { createHttpServer, refuseInTurn, type Timeouts } from "./listen.ts";
import { watchOverload } from "./overload.ts";
import { addPath } from "./paths.ts";
import { petHandlers, petNotFound } from "./pets.ts";
import { createRateLimits } from "./rate-limit.ts";
import { requestIds } from "./request-id.ts";
import { securityHeaders } from "./security-headers.ts";
import { sendJson } from "./send-json.ts";

declare module "fastify" {
	interface FastifyRequest {
		/** The key that let this request in. */
		caller: KeyRow;
		idempotencyKey: string | undefined;
	}
	interface FastifyContextConfig {
		/** What log lines and metrics call the route. */
		operation?: OperationName;
	}
}

export interface AppOptions {
	store: Store;
	keyCheck: KeyCheck;
	/** The base address where it is configured; it ends with `/v1`. */
	baseUrl: string | undefined;
	defaultRate: Rate | undefined;
	corsOrigins: string[];
	now: () => number;
	/** Tells the request ids of this process from those of others. */
	requestIdPrefix: string;
	log: Logger;
	timeouts: Timeouts;
	isStopping: () => boolean;
	/** @throws ApiError while the service cannot take requests */
	checkReady: () => Promise<void>;
	/** What keys with the scope `metrics:read` may watch. */
	activity: () => Promise<object>;
	/** Where the built console is; not served where it is missing. */
	consoleFolder: string;
	/** Called after each reply. */
	onReply: (reply: { operation: string; status: number; seconds: number }) => void;
}

export function buildApp(options: AppOptions): FastifyInstance {
	const { store, keyCheck, baseUrl, log, now, isStopping } = options;
	const sendError = errorHandler(log);
	const app = Fastify({
		bodyLimit: bodyMaxBytes,
		return503OnClosing: false,
		genReqId: requestIds(options.requestIdPrefix),
		routerOptions: { maxParamLength: 16 * 1024 },
		rewriteUrl: ({ url = "/" }) => originForm(url),
		serverFactory: (handler) => createHttpServer(handler, log, options.timeouts),
		clientErrorHandler: (error, socket) => refuseInTurn(socket, error as NodeJS.ErrnoException, log),
		frameworkErrors: (_error, request, reply) => void refuseUndecodablePath(request, reply),
	});
	app.setErrorHandler(sendError);
	app.decorateRequest("caller");
	app.decorateRequest("idempotencyKey");
	for (const method of METHODS) if (!app.supportedMethods.includes(method)) app.addHttpMethod(method);

	const limits = createRateLimits(options.defaultRate);
	const cors = createCors(options.corsOrigins);
	const fixedHeaders = securityHeaders(baseUrl);
	const baseUrlOf = (request: FastifyRequest) => baseUrl ?? `http://${hostOf(request)}/v1`;

	const overload = watchOverload(() => store.queueLength);
	app.addHook("onClose", async () => overload.stop());

	/** Framing, overload, credential and rate: the same for every path, known or not. A promise where something must be waited for. */
	function admit(request: FastifyRequest, reply: FastifyReply): Promise<void> | undefined {
		reply.headers(fixedHeaders).headers(cors.headers(request)).header("x-request-id", request.id);
		if (isStopping()) reply.header("connection", "close");
		checkFraming(request.raw);
		if (!isBehindKey(request.url)) return undefined;
		overload.refuse(request.method === "POST");
		const caller = authenticate(request, keyCheck);
		return caller instanceof Promise
			? caller.then((row) => welcome(row, request, reply))
			: welcome(caller, request, reply);
	}

	function welcome(caller: KeyRow, request: FastifyRequest, reply: FastifyReply): Promise<void> | undefined {
		request.caller = caller;
		return limits.count(caller)?.then(({ headers, refused }) => {
			reply.headers(headers);
			if (refused) throw refused;
		});
	}

	app.addHook("onRequest", (request, reply, done) => {
		const preflight = cors.preflight(request);
		if (preflight) return void reply.code(204).headers(cors.headers(request)).headers(preflight).send();
		const admission = admit(request, reply);
		if (admission) admission.then(() => done(), done);
		else done();
	});

	app.addHook("onRequest", (request, _reply, done) => {
		if (request.is404) throw routeNotFound();
		checkExpectation(request.raw);
		done();
	});

	/** A path whose percent-encoding is broken comes here instead of to a route, but skips no check. */
	async function refuseUndecodablePath(request: FastifyRequest, reply: FastifyReply): Promise<void> {
		try {
			await admit(request, reply);
			throw /^\/v1\/pets\/[^/?]+(?:\?|$)/.test(request.url) ? petNotFound() : routeNotFound();
		} catch (error) {
			sendError(error, request, reply);
		}
	}

	// Query and body. The headers that announce a body are checked before its first byte is asked for.
	app.removeAllContentTypeParsers();
	app.addContentTypeParser("*", { parseAs: "buffer" }, (_request, body, done) => {
		try {
			done(null, readJson(body as Buffer));
		} catch (error) {
			done(error as Error);
		}
	});
	app.setValidatorCompiler<Operation["query"]>(({ schema, httpPart }) => {
		const check = httpPart === "body" ? checkNewPet : queryCheck(schema);
		return (value) => {
			try {
				return { value: check(value) };
			} catch (error) {
				return { error: error as ApiError };
			}
		};
	});

	const handlers = petHandlers({
		store,
		baseUrlOf,
		petJson: fastJson({ ...Pet }),
		petsJson: fastJson({ ...Pets }),
	});

	function operationRoute(name: OperationName): Omit<RouteOptions, "url"> {
		const { method, scope, query, body, deprecation }: Operation = operations[name];
		const notice = deprecation && deprecationNotice(deprecation);
		return {
			method,
			config: { operation: name },
			schema: { querystring: query, ...(body && { body }) },
			onRequest: (request, reply, done) => {
				requireScope(request.caller, scope);
				keyCheck.noteUse(request.caller, name === "getPet");
				if (notice) {
					reply.headers(notice.headers(baseUrlOf(request)));
					notice.refuseAfterSunset(now());
				}
				done();
			},
			preParsing: (request, reply, payload, done) => {
				if (body) {
					checkBodyHeaders(request.raw);
					request.idempotencyKey = readIdempotencyKey(request.headers["idempotency-key"]);
					if (request.headers.expect) reply.raw.writeContinue();
				}
				done(null, payload);
			},
			handler: handlers[name],
		};
	}

	const paths = Object.groupBy(Object.keys(operations) as OperationName[], (name) => operations[name].path);
	for (const [path, names = []] of Object.entries(paths)) {
		addPath(app, `/v1${path.replace(/\{(\w+)\}/g, ":$1")}`, names.map(operationRoute));
	}

	// Outside /v1: for everybody.
	const openApi = openApiText();
	addPath(app, "/openapi.json", [openRoute(async () => openApi)]);
	addDocsPage(app);
	addConsole(app, options);
	addPath(app, "/livez", [openRoute(async () => '{"status":"ok"}')]);
	addPath(app, "/readyz", [openRoute(() => options.checkReady().then(() => '{"status":"ok"}'))]);

	app.addHook("onResponse", (request, reply, done) => {
		const { operation = "none" } = request.routeOptions.config;
		const { statusCode: status } = reply;
		options.onReply({ operation, status, seconds: reply.elapsedTime / 1000 });
		log.info(
			{
				requestId: request.id,
				keyId: request.caller?.id,
				operation,
				status,
				durationMs: Math.round(reply.elapsedTime * 1000) / 1000,
			},
			"request",
		);
		done();
	});
	return app;
}

function openRoute(json: () => Promise<string>): Omit<RouteOptions, "url"> {
	return {
		method: "GET",
		handler: async (_request, reply) => sendJson(reply.header("cache-control", "no-cache"), await json()),
	};
}

/** RFC 9112 §3.2.2: a proxy's absolute-form target means its path; its host is not looked at. */
function originForm(url: string): string {
	return url.startsWith("/") ? url : url.replace(/^https?:\/\/[^/?#]*/i, "") || "/";
}

/** Everything below /v1 is behind the key, paths that do not exist too; and what the console watches. */
function isBehindKey(url: string): boolean {
	return /^\/(?:v1|console\/activity)(?:[/?#]|$)/.test(url.includes("%") ? decodeAscii(url) : url);
}

/** The router takes `/%761` for `/v1`, so the key is asked for there too (RFC 3986 §6.2.2.2). */
function decodeAscii(url: string): string {
	return url.replace(/%([0-7][0-9a-f])/gi, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)));
}

/** HTTP/1.0 may leave out the Host. */
function hostOf({ raw }: FastifyRequest): string {
	return raw.headers.host ?? `${raw.socket.localAddress}:${raw.socket.localPort}`;
}

function routeNotFound(): ApiError {
	return new ApiError("route_not_found", "there is nothing at this path: the operations are listed in /openapi.json");
}
