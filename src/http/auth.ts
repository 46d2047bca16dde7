// Who may enter: the bearer credential of a request (interface document §5, RFC 6750).

import type { FastifyRequest } from "fastify";
import { ApiError } from "../contract/errors.ts";
import type { Scope } from "../contract/operations.ts";
import type { KeyCheck } from "../keys/key-check.ts";
import type { KeyRow } from "../store/store.ts";

const bearer = /^bearer +([^ \t]+)$/i;

/**
 * The caller behind a request; a promise where the key must be looked up.
 * @throws ApiError `missing_credential` or `invalid_credential`
 */
export function authenticate(request: FastifyRequest, keyCheck: KeyCheck): KeyRow | Promise<KeyRow> {
	const { authorization } = request.headers;
	if (authorization === undefined || authorization === "") {
		throw new ApiError("missing_credential", "send your API key in the header Authorization: Bearer <API_KEY>");
	}
	// Node keeps the first of several Authorization headers and drops the others: two are no credential.
	const key = countHeader(request.raw.rawHeaders, "authorization") === 1 && bearer.exec(authorization)?.[1];
	const row = key ? keyCheck.check(key) : undefined;
	return row instanceof Promise ? row.then(orRefuse) : orRefuse(row);
}

function orRefuse(row: KeyRow | undefined): KeyRow {
	if (row) return row;
	throw new ApiError(
		"invalid_credential",
		"this API key does not work: check that it is complete and sent as Authorization: Bearer <API_KEY>, or ask for a new one",
	);
}

/** @throws ApiError `insufficient_scope` */
export function requireScope(caller: KeyRow, scope: Scope): void {
	if (caller.scopes.includes(scope)) return;
	throw new ApiError("insufficient_scope", `this API key lacks the scope ${scope}: use a key that has it`);
}

/** How often a header stands in a request. @param rawHeaders names and values in turn */
export function countHeader(rawHeaders: string[], lowerCaseName: string): number {
	let count = 0;
	for (let index = 0; index < rawHeaders.length; index += 2) {
		const name = rawHeaders[index] as string;
		if (name.length === lowerCaseName.length && name.toLowerCase() === lowerCaseName) count++;
	}
	return count;
}
