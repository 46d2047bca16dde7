// The contract spoken over HTTP. The checks of a request stand here in their order, behind that of its framing (listen.ts): overload,
// credential, rate, route and method, scope, headers, query and body, the operation.

import { METHODS } from "node:http";
import fastJson from "fast-json-stringify";
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest, type RouteOptions } from "fastify";
import { ApiError } from "../contract/errors.ts";
import { openApiText } from "../contract/openapi.ts";
import { bodyMaxBytes, type Operation, type OperationName, operations, type Scope } from "../contract/operations.ts";
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
import { checkBodyHeaders, checkExpectation, expectsContinue } from "./framing.ts";
import { readIdempotencyKey } from "./idempotency.ts";
import { createHttpServer, type ServerOptions } from "./listen.ts";
import { watchOverload } from "./overload.ts";
import { addPath } from "./paths.ts";
import { petHandlers, petNotFound } from "./pets.ts";
import { createRateLimits } from "./rate-limit.ts";
import type { RefusalOptions, Refusals } from "./refusals.ts";
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
		/** Who may call: everybody, or keys with this scope. A route that does not say takes any key that works, and nobody else. */
		access?: "open" | Scope;
	}
}

export interface AppOptions extends RefusalOptions {
	store: Store;
	keyCheck: KeyCheck;
	/** The base address where it is configured; it ends with `/v1`. */
	baseUrl: string | undefined;
	defaultRate: Rate | undefined;
	corsOrigins: string[];
	now: () => number;
	server: ServerOptions;
	refusals: Refusals;
	/** Mean delay of the event loop from which on requests are refused. */
	delayMaxMs?: number | undefined;
	isStopping: () => boolean;
	/** @throws ApiError while the service cannot take requests */
	checkReady: () => Promise<void>;
	/** What keys with the scope `metrics:read` may watch. */
	activity: () => Promise<object>;
	/** Where the built console is; not served where it is missing. */
	consoleFolder: string;
}

export function buildApp(options: AppOptions): FastifyInstance {
	const { store, keyCheck, baseUrl, log, now, isStopping, fixedHeaders } = options;
	const sendError = errorHandler(log);
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
	app.setErrorHandler(sendError);
	app.decorateRequest("caller");
	app.decorateRequest("idempotencyKey");
	for (const method of METHODS) if (!app.supportedMethods.includes(method)) app.addHttpMethod(method);

	const limits = createRateLimits(options.defaultRate);
	const cors = createCors(options.corsOrigins);
	const baseUrlOf = (request: FastifyRequest) => baseUrl ?? `http://${hostOf(request)}/v1`;

	const overload = watchOverload(() => store.queueLength, options.delayMaxMs);
	app.addHook("onClose", async () => overload.stop());

	/** Overload, credential and rate, where the access is not open. A promise where something must be waited for. */
	function admit(request: FastifyRequest, reply: FastifyReply, access: Access): Promise<void> | undefined {
		if (access === "open") return undefined;
		overload.refuse(request.method === "POST");
		const caller = authenticate(request, keyCheck);
		if (caller instanceof Promise) return caller.then((row) => welcome(row, request, reply));
		welcome(caller, request, reply);
		return undefined;
	}

	function welcome(caller: KeyRow, request: FastifyRequest, reply: FastifyReply): void {
		request.caller = caller;
		const counted = limits.count(caller);
		if (!counted) return;
		reply.headers(counted.headers);
		if (counted.refused) throw counted.refused;
	}

	/** What is asked of an admitted request before its route's own checks. */
	function checkRoute(request: FastifyRequest, reply: FastifyReply, access: Access): void {
		if (request.is404) throw routeNotFound();
		checkExpectation(request.raw);
		if (access !== "open" && access !== undefined) requireScope(request.caller, access, reply);
	}

	function addFixedHeaders(request: FastifyRequest, reply: FastifyReply): void {
		reply.headers(fixedHeaders).headers(cors.headers(request)).header("x-request-id", request.id);
		if (isStopping()) reply.header("connection", "close");
	}

	app.addHook("onRequest", (request, reply, done) => {
		addFixedHeaders(request, reply);
		const preflight = cors.preflight(request);
		if (preflight) return void reply.code(204).headers(preflight).send();
		const access = request.is404 ? accessOfNothing(request.url) : request.routeOptions.config.access;
		const admission = admit(request, reply, access);
		if (admission) {
			admission.then(() => checkRoute(request, reply, access)).then(() => done(), done);
		} else {
			checkRoute(request, reply, access);
			done();
		}
	});

	/** A path whose percent-encoding is broken comes here instead of to a route, but skips no check. */
	async function refuseUndecodablePath(request: FastifyRequest, reply: FastifyReply): Promise<void> {
		try {
			addFixedHeaders(request, reply);
			await admit(request, reply, accessOfNothing(request.url));
			throw /^\/v1\/pets\/[^/?]+(?:\?|$)/.test(request.url) ? petNotFound() : routeNotFound();
		} catch (error) {
			sendError(error, request, reply);
		}
	}

	// Query and body. The headers that announce a body are checked before its first byte is asked for.
	app.removeAllContentTypeParsers();
	app.addContentTypeParser("*", { parseAs: "buffer" }, (_request, body, done) => done(null, body));
	app.setValidatorCompiler<Operation["query"]>(({ schema, httpPart }) => {
		// The body is parsed here, because after an error of a content-type parser Fastify closes the connection.
		const check = httpPart === "body" ? (body: Buffer | null) => checkNewPet(readJson(body)) : queryCheck(schema);
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
			config: { operation: name, access: scope },
			schema: { querystring: query, ...(body && { body }) },
			onRequest: (request, reply, done) => {
				keyCheck.noteUse(request.caller, name === "getPet");
				if (notice) {
					reply.headers(notice.headers(baseUrlOf(request)));
					notice.refuseAfterSunset(now());
				}
				done();
			},
			preParsing: (request, reply, payload, done) => {
				if (body) {
					checkBodyHeaders(request.raw, reply);
					request.idempotencyKey = readIdempotencyKey(request.headers["idempotency-key"]);
					if (expectsContinue(request.raw)) reply.raw.writeContinue();
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
	addPath(app, "/openapi.json", [openRoute(async () => openApi, { "access-control-allow-origin": "*" })]);
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

function openRoute(json: () => Promise<string>, headers: Record<string, string> = {}): Omit<RouteOptions, "url"> {
	return {
		method: "GET",
		config: { access: "open" },
		handler: async (_request, reply) =>
			sendJson(reply.headers({ "cache-control": "no-cache", ...headers }), await json()),
	};
}

type Access = "open" | Scope | undefined;

/** RFC 9112 §3.2.2: a proxy's absolute-form target means its path; its host is not looked at. */
function originForm(url: string): string {
	return url.startsWith("/") ? url : url.replace(/^https?:\/\/[^/]*|^\*$/i, "") || "/";
}

/** Who is told that there is nothing at a path. Below /v1 that needs a key, so that nobody else learns what there is. */
function accessOfNothing(url: string): Access {
	return /^\/v1(?:[/?#]|$)/.test(url.includes("%") ? decodeAscii(url) : url) ? undefined : "open";
}

/** `/%761` is `/v1` (RFC 3986 §6.2.2.2). */
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
