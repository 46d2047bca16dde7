// When each error code is sent, and what the caller does then: the table of the OpenAPI document and of docs/errors.md.

import { getPetDeprecation, sunsetDay } from "./deprecation.ts";
import { type ErrorCode, errorCodes, errorStatus } from "./errors.ts";
import { bodyMaxBytes } from "./operations.ts";

const meanings: Record<ErrorCode, { when: string; fix: string }> = {
	invalid_json: {
		when: "the body is not one JSON value in UTF-8, or is nested more than 64 levels deep",
		fix: "fix the JSON",
	},
	invalid_body: {
		when: "a field is missing or invalid; the message names all such fields",
		fix: "fix the fields",
	},
	invalid_parameter: { when: "a query value or the Idempotency-Key is invalid", fix: "fix the value" },
	unknown_parameter: {
		when: "a query parameter is unknown; the message names the known ones",
		fix: "fix the name",
	},
	invalid_cursor: {
		when: "the cursor is not from this service, belongs to another filter, or to animals that a restore has lost",
		fix: "start at the first page",
	},
	malformed_request: {
		when:
			"the request is not HTTP/1.1 or HTTP/1.0, or is ambiguous: the connection is closed; or a proxy in " +
			"`TRUST_PROXY` forwards an invalid scheme or host",
		fix: "fix the client, or the proxy",
	},
	missing_credential: { when: "no API key", fix: "send `Authorization: Bearer <API_KEY>`" },
	invalid_credential: {
		when: "the key does not work: unknown, mistyped, revoked or expired",
		fix: "ask for a new key",
	},
	insufficient_scope: {
		when: "the key lacks the scope",
		fix: "use a key with the scope that the message and `WWW-Authenticate` name",
	},
	pet_not_found: { when: "no animal has this id", fix: "—" },
	route_not_found: { when: "the path is unknown", fix: "see `/openapi.json` for the paths" },
	method_not_allowed: { when: "the path does not accept this method", fix: "use a method that `Allow` names" },
	request_timeout: { when: "the request did not arrive in time", fix: "send it again, faster" },
	operation_removed: {
		when: `getPet from ${sunsetDay(getPetDeprecation)} on`,
		fix: "use listPets with the status filter",
	},
	body_too_large: { when: `more than ${bodyMaxBytes / 1024} KiB`, fix: "send less" },
	uri_too_long: { when: "more than 12 KiB", fix: "shorten the URL" },
	unsupported_media_type: {
		when: "not `application/json` in UTF-8, or compressed",
		fix: "send the type or encoding that `Accept` or `Accept-Encoding` of the reply names",
	},
	expectation_failed: { when: "an `Expect` other than 100-continue", fix: "omit the header" },
	idempotency_key_reused: {
		when: "this Idempotency-Key was used with another body",
		fix: "use a new Idempotency-Key for a new animal",
	},
	rate_limited: { when: "more requests than the key's rate", fix: "wait for `Retry-After`" },
	headers_too_large: { when: "more than 16 KiB or 200 headers", fix: "send less" },
	internal_error: { when: "the service failed; the cause is in its log", fix: "report the request id" },
	storage_unavailable: {
		when: "the store cannot be read or written at the moment",
		fix: "retry after `Retry-After`",
	},
	overloaded: { when: "the service has too much work", fix: "retry after `Retry-After`" },
	shutting_down: { when: "`/readyz` while the service stops", fix: "use another node" },
};

/** All codes as a table in Markdown. */
export function errorTable(): string {
	const rows = errorCodes.map((code) => {
		const { when, fix } = meanings[code];
		return `| \`${code}\` | ${errorStatus[code]} | ${when} | ${fix} |`;
	});
	return ["| code | status | when | what to do |", "|---|---|---|---|", ...rows].join("\n");
}
