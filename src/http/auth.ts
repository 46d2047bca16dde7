// Authentication and scopes: the bearer credential of a request (interface document §5, RFC 6750).

import type { IncomingMessage } from "node:http";
import { ApiError } from "../contract/errors.ts";
import type { Scope } from "../contract/operations.ts";
import type { KeyCheck } from "../keys/key-check.ts";
import type { KeyRow } from "../store/store.ts";
import type { Connection } from "./connections.ts";
import { challenge, type Exchange } from "./exchange.ts";
import { isRepeated } from "./framing.ts";

const missing = new ApiError("missing_credential");
const invalid = new ApiError("invalid_credential");
const bearer = /^bearer +([^ \t]+)$/i;

/**
 * The key of a request, undefined if it does not work. A promise when it must be read from the store.
 * @throws ApiError `missing_credential`
 */
export function findCaller(
	request: IncomingMessage,
	keyCheck: KeyCheck,
): KeyRow | undefined | Promise<KeyRow | undefined> {
	const { authorization } = request.headers;
	// Node uses the first of several Authorization headers and ignores the rest; here a second one is an error.
	const isOne = authorization === undefined || !isRepeated(request.rawHeaders, "authorization");
	if (isOne && !authorization) {
		throw missing;
	}
	const keyHash = isOne ? keyHashOf(request.socket, authorization, keyCheck) : undefined;
	return keyHash ? keyCheck.check(keyHash) : undefined;
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

/** @throws ApiError `invalid_credential` */
export function requireCaller(row: KeyRow | undefined): KeyRow {
	if (row) return row;
	throw invalid;
}

/** @throws ApiError `insufficient_scope`, with the challenge of RFC 6750 §3 */
export function requireScope(exchange: Exchange, caller: KeyRow, scope: Scope): void {
	if (caller.scopes.includes(scope)) return;
	exchange.header("www-authenticate", `${challenge}, error="insufficient_scope", scope="${scope}"`);
	throw new ApiError("insufficient_scope", scope);
}

/**
 * Compares a secret with what a caller sent, in constant time for texts of one length. Buffers for `timingSafeEqual`
 * would cost more than a hash.
 */
export function isEqual(one: string, other: string): boolean {
	let difference = one.length ^ other.length;
	for (let index = 0; index < one.length; index++) difference |= one.charCodeAt(index) ^ other.charCodeAt(index);
	return difference === 0;
}
