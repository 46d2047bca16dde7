// Authentication and scopes: the bearer credential of a request (interface document §5, RFC 6750).

import { ApiError } from "../contract/errors.ts";
import type { Scope } from "../contract/operations.ts";
import type { KeyCheck } from "../keys/key-check.ts";
import type { KeyRow } from "../store/store.ts";
import { challenge, type Exchange } from "./exchange.ts";
import { isRepeated } from "./framing.ts";
import type { Connection } from "./intake.ts";

const missing = new ApiError("missing_credential");
const invalid = new ApiError("invalid_credential");
const bearer = /^bearer +([^ \t]+)$/i;

/**
 * Sets the caller of a request. Returns a promise only if the key must be read from the store.
 * @throws ApiError `missing_credential`, `invalid_credential`
 */
export function authenticate(exchange: Exchange, keyCheck: KeyCheck): Promise<void> | void {
	const { headers, rawHeaders, socket } = exchange.request;
	const { authorization } = headers;
	// Node ignores all Authorization headers but the first; here a second one is an error.
	if (authorization !== undefined && isRepeated(rawHeaders, "authorization")) throw invalid;
	if (!authorization) throw missing;
	const keyHash = keyHashOf(socket, authorization, keyCheck);
	const found = keyHash ? keyCheck.check(keyHash) : undefined;
	if (found instanceof Promise) return found.then((row) => admit(exchange, row));
	admit(exchange, found);
}

function admit(exchange: Exchange, row: KeyRow | undefined): void {
	if (!row) throw invalid;
	exchange.caller = row;
}

/** The hash of the key in an Authorization field. A connection that repeats its field needs no second hash. */
function keyHashOf(connection: Connection, field: string, keyCheck: KeyCheck): string | undefined {
	const known = connection.credential;
	// A proxy may send the requests of many callers through one connection.
	if (known && isEqual(known.field, field)) return known.keyHash;
	const key = bearer.exec(field)?.[1];
	const keyHash = key === undefined ? undefined : keyCheck.hashOf(key);
	connection.credential = { field, keyHash };
	return keyHash;
}

/** @throws ApiError `insufficient_scope`, with the challenge of RFC 6750 §3 */
export function requireScope(exchange: Exchange, { scopes }: KeyRow, scope: Scope): void {
	if (scopes.includes(scope)) return;
	exchange.header("www-authenticate", `${challenge}, error="insufficient_scope", scope="${scope}"`);
	throw new ApiError("insufficient_scope", scope);
}

/**
 * Compares a secret with a text of a caller, in constant time for texts of one length. Buffers for `timingSafeEqual`
 * would cost more than a hash.
 */
export function isEqual(one: string, other: string): boolean {
	let difference = one.length ^ other.length;
	for (let index = 0; index < one.length; index++) difference |= one.charCodeAt(index) ^ other.charCodeAt(index);
	return difference === 0;
}
