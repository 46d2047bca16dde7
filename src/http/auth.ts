// Authentication and scopes: the bearer credential of a request (interface document §5, RFC 6750).

import type { FastifyReply, FastifyRequest } from "fastify";
import { ApiError } from "../contract/errors.ts";
import type { Scope } from "../contract/operations.ts";
import type { KeyCheck } from "../keys/key-check.ts";
import type { KeyRow } from "../store/store.ts";
import { isRepeated } from "./framing.ts";

/** The start of each challenge of RFC 6750 §3. */
export const challenge = 'Bearer realm="animal-store"';
const bearer = /^bearer +([^ \t]+)$/i;

/**
 * The caller of a request. A promise when the key must be read from the store.
 * @throws ApiError `missing_credential` or `invalid_credential`
 */
export function authenticate(request: FastifyRequest, keyCheck: KeyCheck): KeyRow | Promise<KeyRow> {
	const { authorization } = request.headers;
	if (authorization === undefined || authorization === "") {
		throw new ApiError("missing_credential", "send your API key in the header Authorization: Bearer <API_KEY>");
	}
	// Node uses the first of several Authorization headers and ignores the rest; here a second one is an error.
	const key = isRepeated(request.raw.rawHeaders, "authorization") ? undefined : bearer.exec(authorization)?.[1];
	const row = key ? keyCheck.check(key) : undefined;
	return row instanceof Promise ? row.then(requireRow) : requireRow(row);
}

function requireRow(row: KeyRow | undefined): KeyRow {
	if (row) return row;
	throw new ApiError(
		"invalid_credential",
		"this API key does not work: check that it is complete and sent as Authorization: Bearer <API_KEY>, " +
			"or ask for a new one",
	);
}

/** @throws ApiError `insufficient_scope`, with the challenge of RFC 6750 §3 */
export function requireScope(caller: KeyRow, scope: Scope, reply: FastifyReply): void {
	if (caller.scopes.includes(scope)) return;
	reply.header("www-authenticate", `${challenge}, error="insufficient_scope", scope="${scope}"`);
	throw new ApiError("insufficient_scope", `this API key lacks the scope ${scope}: use a key that has it`);
}
