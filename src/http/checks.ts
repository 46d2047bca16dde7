// The checks of a request, in their order. Each looks at one thing and throws the ApiError that refuses the request.
// Framing comes before them (listen.ts); the query and the body, which need a schema, come after them (validation.ts),
// and then the handler.

import type { FastifyReply, FastifyRequest } from "fastify";
import { ApiError } from "../contract/errors.ts";
import type { OperationName, Scope } from "../contract/operations.ts";
import type { KeyCheck } from "../keys/key-check.ts";
import type { KeyRow } from "../store/store.ts";
import { authenticate, requireScope } from "./auth.ts";
import type { DeprecationNotice } from "./deprecation.ts";
import { checkBodyHeaders, checkExpectation, expectsContinue } from "./framing.ts";
import { readIdempotencyKey } from "./idempotency.ts";
import type { Overload } from "./overload.ts";
import type { RateLimits } from "./rate-limit.ts";

/** Who may call a route: everybody, or keys with this scope. */
export type Access = "open" | Scope;

/** What a route declares beside its handler. */
export interface RouteRules {
	/** A route that does not say takes any key that works, and nobody without one. */
	access?: Access;
	/** What log lines, metrics and the use of keys call the route. */
	operation?: OperationName;
	deprecation?: DeprecationNotice;
	acceptsBody?: boolean;
	/** The route stands for the methods that its path does not take; this is what the path takes. */
	allowedMethods?: string;
	/** There is nothing at this path. */
	isUnknownPath?: boolean;
}

declare module "fastify" {
	interface FastifyRequest {
		/** The key that let this request in; undefined on open routes. See `callerOf`. */
		caller: KeyRow | undefined;
		idempotencyKey: string | undefined;
	}
	interface FastifyContextConfig extends RouteRules {}
}

/** One request on its way through the checks. */
export interface Exchange {
	request: FastifyRequest;
	reply: FastifyReply;
	rules: RouteRules;
}

/** Throws the ApiError that refuses the request. A promise only where something must be waited for. */
export type Check = (exchange: Exchange) => Promise<void> | void;

export interface CheckOptions {
	overload: Overload;
	keyCheck: KeyCheck;
	limits: RateLimits;
	/** Milliseconds since 1970. */
	now: () => number;
	/** The base address, as the caller of this request can use it. */
	baseUrlOf: (request: FastifyRequest) => string;
}

/** The checks in their order. */
export function createChecks(options: CheckOptions): readonly Check[] {
	return [
		overload(options),
		credential(options),
		rate(options),
		routeAndMethod,
		expectation,
		scope(options),
		deprecation(options),
		bodyHeaders,
		idempotencyKey,
		sendContinue,
	];
}

function overload({ overload }: CheckOptions): Check {
	return ({ request, rules }) => {
		if (rules.access !== "open") overload.refuse(request.method === "POST");
	};
}

function credential({ keyCheck }: CheckOptions): Check {
	return ({ request, rules }) => {
		if (rules.access === "open") return undefined;
		const caller = authenticate(request, keyCheck);
		if (caller instanceof Promise) {
			return caller.then((row) => {
				request.caller = row;
			});
		}
		request.caller = caller;
		return undefined;
	};
}

function rate({ limits }: CheckOptions): Check {
	return ({ request, reply }) => {
		const counted = request.caller && limits.count(request.caller);
		if (!counted) return;
		reply.headers(counted.headers);
		if (counted.refused) throw counted.refused;
	};
}

function routeAndMethod({ reply, rules: { isUnknownPath, allowedMethods } }: Exchange): void {
	if (isUnknownPath) throw routeNotFound();
	if (allowedMethods === undefined) return;
	reply.header("allow", allowedMethods);
	throw new ApiError("method_not_allowed", `this path takes ${allowedMethods}`);
}

function expectation({ request }: Exchange): void {
	checkExpectation(request.raw);
}

/** A request that may do what it asks for is a use of its key. */
function scope({ keyCheck }: CheckOptions): Check {
	return ({ request, reply, rules: { access, operation } }) => {
		if (access === "open" || access === undefined) return;
		const caller = callerOf(request);
		requireScope(caller, access, reply);
		if (operation) keyCheck.noteUse(caller, operation);
	};
}

function deprecation({ now, baseUrlOf }: CheckOptions): Check {
	return ({ request, reply, rules: { deprecation } }) => {
		if (!deprecation) return;
		reply.headers(deprecation.headers(baseUrlOf(request)));
		deprecation.refuseAfterSunset(now());
	};
}

function bodyHeaders({ request, reply, rules }: Exchange): void {
	if (rules.acceptsBody) checkBodyHeaders(request.raw, reply);
}

function idempotencyKey({ request, rules }: Exchange): void {
	if (rules.acceptsBody) request.idempotencyKey = readIdempotencyKey(request.headers["idempotency-key"]);
}

/** The last one: from here on the body is wanted. */
function sendContinue({ request, reply, rules }: Exchange): void {
	if (rules.acceptsBody && expectsContinue(request.raw)) reply.raw.writeContinue();
}

/** Runs the checks one after the other. @returns a promise only where one of them waits */
export function runChecks(checks: readonly Check[], exchange: Exchange, first = 0): Promise<void> | undefined {
	for (let index = first; index < checks.length; index++) {
		const waiting = checks[index]?.(exchange);
		if (waiting) return waiting.then(() => runChecks(checks, exchange, index + 1));
	}
	return undefined;
}

/** The key that let a request in, on routes that are not open. */
export function callerOf({ caller }: FastifyRequest): KeyRow {
	if (caller) return caller;
	throw new Error("a route that is not open was reached without a key");
}

export function routeNotFound(): ApiError {
	return new ApiError("route_not_found", "there is nothing at this path: the operations are listed in /openapi.json");
}
