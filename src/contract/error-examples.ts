// A message of each error code for the examples of the OpenAPI document, word for word as the service sends it.
// test/openapi-replies.test.ts provokes each of them.

import { replacementOf } from "./deprecation.ts";
import type { ErrorCode } from "./errors.ts";
import { bodyMaxBytes, type Operation } from "./operations.ts";
import { int64Rule } from "./pet.ts";

/** Depends on the operation. */
const ofOperation: Partial<Record<ErrorCode, (operation: Operation) => string>> = {
	invalid_parameter: ({ query }) =>
		query.properties["limit"]
			? `limit must be ${query.properties["limit"].description}`
			: "Idempotency-Key must be 1 to 255 visible ASCII characters, given once",
	unknown_parameter: ({ query }) => {
		const known = Object.keys(query.properties).join(", ");
		return `unknown query parameter "page"; ${known ? `known ones are ${known}` : "this operation takes none"}`;
	},
	insufficient_scope: ({ scope }) => `this API key lacks the scope ${scope}: use a key that has it`,
	method_not_allowed: ({ path }) => `this path supports only GET, ${path === "/pets" ? "POST, " : ""}HEAD, OPTIONS`,
	operation_removed: ({ deprecation }) =>
		deprecation
			? `this operation was removed on ${new Date(deprecation.sunsetMs).toUTCString()}; ` +
				`use ${replacementOf(deprecation)} instead`
			: "",
};

const ofEveryOperation: Partial<Record<ErrorCode, string>> = {
	invalid_json: "the body must be one JSON value in UTF-8: it is empty",
	invalid_body: `categoryId is required and must be ${int64Rule}`,
	invalid_cursor:
		"cursor must be taken unchanged from a Link header and used with the same status filter; " +
		"start again without it",
	malformed_request: "the Host header must be given once and name a host (RFC 9112 §3.2)",
	missing_credential: "send your API key in the header Authorization: Bearer <API_KEY>",
	invalid_credential:
		"this API key does not work: check that it is complete and sent as Authorization: Bearer <API_KEY>, " +
		"or ask for a new one",
	pet_not_found: "there is no animal with this id",
	request_timeout: "the request did not arrive in time: send it without pauses",
	body_too_large: `the body must be at most ${bodyMaxBytes} bytes`,
	uri_too_long: "the URL must be at most 12288 characters",
	unsupported_media_type: "the body must be sent as Content-Type: application/json, in UTF-8",
	expectation_failed: "the only supported expectation is 100-continue",
	idempotency_key_reused: "this Idempotency-Key was used with another body: repeat that body, or send a new key",
	rate_limited: "this API key may send 10 requests in 60 seconds: try again in 42 seconds",
	headers_too_large: "the headers must be at most 16384 bytes",
	internal_error: "the service failed: report the X-Request-Id of this reply to its operator",
	storage_unavailable: "the store is not available at the moment: try again",
	overloaded: "the service is overloaded: try again in a moment",
};

/** @throws Error for a code that the operation never sends */
export function exampleMessage(code: ErrorCode, operation: Operation): string {
	const message = ofOperation[code]?.(operation) || ofEveryOperation[code];
	if (message === undefined) throw new Error(`${operation.path}: there is no example of ${code}`);
	return message;
}
