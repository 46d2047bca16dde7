// The checks of a request, in order. Each checks one thing and throws an ApiError to refuse the request. The framing is
// checked earlier (listen.ts); the query and the body, which need a schema, are checked later (pets.ts).

import { isIP } from "node:net";
import { ApiError } from "../contract/errors.ts";
import { bodyMaxBytes } from "../contract/limits.ts";
import type { KeyCheck } from "../keys/key-check.ts";
import type { KeyRow } from "../store/store.ts";
import type { Overload, RateLimits } from "./admission.ts";
import { challenge, type Exchange, type Route } from "./exchange.ts";
import type { BaseUrlOf } from "./proxies.ts";

/** Throws an ApiError to refuse the request. Returns a promise only if it must wait. */
export type Check = (exchange: Exchange, route: Route) => Promise<void> | void;

interface CheckOptions {
	overload: Overload;
	keyCheck: KeyCheck;
	limits: RateLimits;
	/** Milliseconds since 1970. */
	now: () => number;
	baseUrlOf: BaseUrlOf;
}

export function createCredentialCheck(keyCheck: KeyCheck): (exchange: Exchange) => Promise<void> | void {
	return (exchange) => {
		const found = findKey(exchange, keyCheck);
		return found instanceof Promise ? found.then((row) => admit(exchange, row)) : admit(exchange, found);
	};
}

export function createChecks({ overload, keyCheck, limits, now, baseUrlOf }: CheckOptions): readonly Check[] {
	const findCaller = createCredentialCheck(keyCheck);
	const load: Check = (exchange, { access }) => {
		if (access === "open") return;
		// After this close, the client reconnects and waits in the kernel, because a tick accepts only one connection.
		if (overload.isLate()) exchange.closeAfter();
		overload.refuse(exchange.request.method === "POST");
	};

	const credential: Check = (exchange, { access }) => {
		if (access !== "open") return findCaller(exchange);
	};

	const rate: Check = (exchange) => {
		const counted = exchange.caller && limits.count(exchange.caller);
		if (!counted) return;
		exchange.headers(counted.headers);
		if (counted.refused) throw counted.refused;
	};

	/** Refuses an invalid scheme or host from a trusted proxy before anything is stored. */
	const baseUrl: Check = (exchange, { access }) => {
		if (access !== "open") exchange.baseUrl = baseUrlOf(exchange.request);
	};

	/** Refuses a key that lacks the scope, and sends the challenge of RFC 6750 §3. Else records the key's use. */
	const scope: Check = (exchange, { access, operation }) => {
		if (access === "open" || access === undefined) return;
		const caller = callerOf(exchange);
		if (!caller.scopes.includes(access)) {
			exchange.header("www-authenticate", `${challenge}, error="insufficient_scope", scope="${access}"`);
			throw new ApiError("insufficient_scope", access);
		}
		if (operation) keyCheck.noteUse(caller, operation);
	};

	/** Announces the end of an operation (RFC 9745, RFC 8594), and refuses requests after the end. */
	const deprecation: Check = (exchange, { deprecation }) => {
		if (!deprecation) return;
		const { sinceMs, sunsetMs, sunset, successor } = deprecation;
		const docs = `${exchange.baseUrl.slice(0, -"/v1".length)}/docs`;
		const link = `<${docs}>; rel="deprecation", <${exchange.baseUrl}${successor.path}>; rel="successor-version"`;
		exchange.headers({ deprecation: `@${sinceMs / 1000}`, sunset, link });
		if (now() >= sunsetMs) throw new ApiError("operation_removed", deprecation);
	};

	return [
		...[load, credential, rate, routeAndMethod(), expectation, baseUrl],
		...[scope, deprecation, bodyHeaders, idempotencyKey, sendContinue],
	];
}

/** The checks of the operators' port. @param host the name or address that the port listens on */
export function createOpsChecks(host: string): readonly Check[] {
	return [ownName(host), routeAndMethod("this port serves /livez, /readyz and /metrics")];
}

/** Guards against DNS rebinding: a web page whose host name (with a dot) led to this address could read this port. */
function ownName(host: string): Check {
	return ({ request: { headers } }) => {
		const name = (headers.host ?? "").replace(/:\d*$/, "").toLowerCase();
		if (name.startsWith("[") || isIP(name) !== 0 || !name.includes(".") || name === host.toLowerCase()) return;
		const rule = "the Host of this port must be an IP address, OPS_HOST, or a name without dots";
		throw new ApiError("malformed_request", rule);
	};
}

const missing = new ApiError("missing_credential");
const invalid = new ApiError("invalid_credential");
const bearer = /^bearer +([^ \t]+)$/i;

/** The key of the bearer credential, if the key works (interface document §5, RFC 6750). May wait for the store. */
function findKey({ request }: Exchange, keyCheck: KeyCheck): ReturnType<KeyCheck["check"]> {
	const { authorization } = request.headers;
	if (!authorization) throw missing;
	const key = bearer.exec(authorization)?.[1];
	return key === undefined ? undefined : keyCheck.check(key);
}

function admit(exchange: Exchange, row: KeyRow | undefined): void {
	if (!row) throw invalid;
	exchange.caller = row;
}

/** @param served the message about an unknown path: it names the paths that the port serves */
function routeAndMethod(served?: string): Check {
	const notFound = new ApiError("route_not_found", served);
	return (exchange, { path, allowedMethods }) => {
		if (path === undefined) throw notFound;
		if (allowedMethods === undefined) return;
		exchange.header("allow", allowedMethods);
		throw new ApiError("method_not_allowed", allowedMethods);
	};
}

function expectation({ request: { headers } }: Exchange): void {
	if (headers.expect === undefined || /^100-continue$/i.test(headers.expect)) return;
	throw new ApiError("expectation_failed");
}

const jsonUtf8 = /^application\/json[ \t]*(?:;[ \t]*(?:charset=(?:utf-?8|"utf-?8")[ \t]*)?)*$/i;

/** Checks the headers of a body before it is read. A 415 reply names what is accepted (RFC 9110 §15.5.16). */
function bodyHeaders(exchange: Exchange, { acceptsBody }: Route): void {
	if (!acceptsBody) return;
	const { headers } = exchange.request;
	if (!/^(?:identity)?$/i.test(headers["content-encoding"] ?? "")) {
		exchange.header("accept-encoding", "identity");
		throw new ApiError("unsupported_media_type", "the body must not be compressed: send it without Content-Encoding");
	}
	if (!jsonUtf8.test(headers["content-type"] ?? "")) {
		exchange.header("accept", "application/json");
		throw new ApiError("unsupported_media_type");
	}
	if (Number(headers["content-length"] ?? 0) > bodyMaxBytes) throw new ApiError("body_too_large");
}

/** Refuses a malformed Idempotency-Key before the body is read. */
function idempotencyKey(exchange: Exchange, { acceptsBody }: Route): void {
	if (acceptsBody) readIdempotencyKey(exchange.request.headers["idempotency-key"]);
}

/** An Idempotency-Key: 1 to 255 visible ASCII characters, quotes optional. @throws ApiError `invalid_parameter` */
export function readIdempotencyKey(field: string | string[] | undefined): string | undefined {
	if (field === undefined) return undefined;
	const text = String(field);
	const key = /^"(.*)"$/.exec(text)?.[1] ?? text;
	if (/^[\x21-\x7e]{1,255}$/.test(key)) return key;
	throw new ApiError("invalid_parameter");
}

/** This check must be last, because it asks for the body. HTTP/1.0 has no interim replies (RFC 9110 §10.1.1). */
function sendContinue({ request, response, isRefused }: Exchange, { acceptsBody }: Route): void {
	const isExpected = request.headers.expect !== undefined && request.httpVersion !== "1.0";
	if (acceptsBody && isExpected && !isRefused) response.writeContinue();
}

/** Runs the checks in order, then the handler of the route. @returns a promise only if a check or the handler waits */
export function handleChecked(
	checks: readonly Check[],
	exchange: Exchange,
	route: Route,
	first = 0,
): ReturnType<Check> {
	for (let index = first; index < checks.length; index++) {
		const pending = checks[index]?.(exchange, route);
		if (pending) return pending.then(() => handleChecked(checks, exchange, route, index + 1));
	}
	return route.handler(exchange);
}

/** The key of a request to a route that is not open. */
export function callerOf({ caller }: Exchange): KeyRow {
	if (caller) return caller;
	throw new Error("a route that is not open was reached without a key");
}
