// The checks of a request, in order. Each checks one thing and throws an ApiError to refuse the request. The framing is
// checked before them (listen.ts); the query and the body, which need a schema, after them (validation.ts).

import type { FastifyReply, FastifyRequest } from "fastify";
import { ApiError } from "../contract/errors.ts";
import type { OperationName, Scope } from "../contract/operations.ts";
import type { KeyCheck } from "../keys/key-check.ts";
import type { KeyRow } from "../store/store.ts";
import { authenticate, requireScope } from "./auth.ts";
import type { BaseUrlOf } from "./base-url.ts";
import type { DeprecationNotice } from "./deprecation.ts";
import { checkBodyHeaders, checkExpectation, expectsContinue } from "./framing.ts";
import { readIdempotencyKey } from "./idempotency.ts";
import type { Overload } from "./overload.ts";
import type { RateLimits } from "./rate-limit.ts";
import type { IsTrustedProxy } from "./trusted-proxies.ts";

/** Who may call a route: everyone, or keys with this scope. */
export type Access = "open" | Scope;

/** What a route declares besides its handler. */
export interface RouteRules {
	/** A route without it accepts any valid key, and no request without a key. */
	access?: Access;
	/** The name of the route in logs, metrics and last-used times of keys. */
	operation?: OperationName;
	deprecation?: DeprecationNotice;
	acceptsBody?: boolean;
	/** Set on the route for all other methods of a path: the methods that the path supports. */
	allowedMethods?: string;
	/** The pattern of the path; Fastify adds it. */
	url?: string;
	/** A health check, counted apart. */
	isProbe?: boolean;
	/** No route has this path. */
	isUnknownPath?: boolean;
}

declare module "fastify" {
	interface FastifyRequest {
		/** The key of this request; undefined on open routes. See `callerOf`. */
		caller: KeyRow | undefined;
		idempotencyKey: string | undefined;
	}
	interface FastifyContextConfig extends RouteRules {}
}

/** A request during the checks, with its reply and the rules of its route. */
export interface Exchange {
	request: FastifyRequest;
	reply: FastifyReply;
	rules: RouteRules;
}

/** Throws an ApiError to refuse the request. Returns a promise only if it must wait. */
export type Check = (exchange: Exchange) => Promise<void> | void;

export interface CheckOptions {
	overload: Overload;
	keyCheck: KeyCheck;
	limits: RateLimits;
	/** Milliseconds since 1970. */
	now: () => number;
	baseUrlOf: BaseUrlOf;
	isTrustedProxy?: IsTrustedProxy | undefined;
}

/** The checks in order. */
export function createChecks(options: CheckOptions): readonly Check[] {
	return [
		overload(options),
		credential(options),
		rate(options),
		routeAndMethod,
		expectation,
		...(options.isTrustedProxy ? [forwarded(options)] : []),
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
	throw new ApiError("method_not_allowed", `this path supports only ${allowedMethods}`);
}

function expectation({ request }: Exchange): void {
	checkExpectation(request.raw);
}

/** Refuses what a trusted proxy says wrong, before anything is stored. */
function forwarded({ baseUrlOf }: CheckOptions): Check {
	return ({ request, rules }) => {
		if (rules.access !== "open") baseUrlOf(request);
	};
}

/** Also records the use of the key, after the scope is checked. */
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

/** Must be last: it asks the client to send the body. */
function sendContinue({ request, reply, rules }: Exchange): void {
	if (rules.acceptsBody && expectsContinue(request.raw)) reply.raw.writeContinue();
}

/** Runs the checks in order. @returns a promise only if one of them waits */
export function runChecks(checks: readonly Check[], exchange: Exchange, first = 0): Promise<void> | undefined {
	for (let index = first; index < checks.length; index++) {
		const pending = checks[index]?.(exchange);
		if (pending) return pending.then(() => runChecks(checks, exchange, index + 1));
	}
	return undefined;
}

/** The key of a request to a route that is not open. */
export function callerOf({ caller }: FastifyRequest): KeyRow {
	if (caller) return caller;
	throw new Error("a route that is not open was reached without a key");
}

export function routeNotFound(): ApiError {
	return new ApiError("route_not_found", "there is nothing at this path: the operations are listed in /openapi.json");
}
