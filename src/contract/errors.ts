// The table of errors, and their class (interface document §7). A code never changes its meaning. The OpenAPI document
// and docs/errors.md follow from this table, and test/contract/check-order.test.ts provokes each example.

import { type Deprecation, getPetDeprecation } from "./deprecation.ts";
import { bodyMaxBytes, bodyMaxDepth, headersMaxBytes, headersMaxCount, urlMaxLength } from "./limits.ts";
import { int64Rule } from "./pet.ts";
import { type Static, type TObject, Type } from "./schema.ts";

/** The headers that only error replies have, and their meaning. */
export const failureHeaders = {
	"WWW-Authenticate": "RFC 6750: the Bearer challenge. It names the problem with the credential, or the missing scope.",
	Accept: "the accepted type, when the body has another one",
	"Accept-Encoding": "`identity`, when the body is compressed",
	Allow: "the methods that the path supports",
	"Retry-After": "seconds after which another attempt may succeed",
} as const;

interface ExampleOperation {
	path: string;
	scope: string;
	query: TObject;
	deprecation?: Deprecation;
}

interface ErrorEntry {
	status: number;
	when: string;
	/** What the caller should do, in Markdown. */
	fix: string;
	/** Says what went wrong and how to fix it. The parameters are the values that vary. */
	message(...values: never[]): string;
	/** The values for the message of an example, if the message needs any. */
	example?(operation: ExampleOperation): unknown[];
	/** Headers of the reply in addition to those of every reply. */
	headers?: readonly (keyof typeof failureHeaders)[];
}

export const errors = {
	invalid_json: {
		status: 400,
		when: `the body is not one JSON value in UTF-8, or is nested more than ${bodyMaxDepth} levels deep`,
		fix: "fix the JSON",
		message: (fault: string) => `the body must be one JSON value in UTF-8: ${fault}`,
		example: () => ["it is empty"],
	},
	invalid_body: {
		status: 400,
		when: "a field is missing or invalid; the message names all such fields",
		fix: "fix the fields",
		message: (brokenFields: string) => brokenFields,
		example: () => [`categoryId is required and must be ${int64Rule}`],
	},
	invalid_parameter: {
		status: 400,
		when: "a query value or the Idempotency-Key is invalid",
		fix: "fix the value",
		message: (brokenValues?: string) =>
			brokenValues ?? "Idempotency-Key must be 1 to 255 visible ASCII characters, given once",
		example: ({ query: { properties } }) =>
			properties["limit"] ? [`limit must be ${properties["limit"].description}`] : [],
	},
	unknown_parameter: {
		status: 400,
		when: "a query parameter is unknown; the message names the known ones",
		fix: "fix the name",
		message(unknown: readonly string[], known: readonly string[]) {
			const names = unknown.slice(0, 5).map((name) => JSON.stringify(name.slice(0, 40)));
			const rest = unknown.length > names.length ? ` and ${unknown.length - names.length} more` : "";
			const takes = known.length > 0 ? `known ones are ${known.join(", ")}` : "this operation takes none";
			return `unknown query parameter ${names.join(", ")}${rest}; ${takes}`;
		},
		example: ({ query }) => [["page"], Object.keys(query.properties)],
	},
	invalid_cursor: {
		status: 400,
		when: "the cursor is not from this service, belongs to another filter, or leads to animals that a restore has lost",
		fix: "start at the first page",
		// After a restore, new animals get ids below the cursor's position. A client that continued there would miss them.
		message: (position?: "lost") =>
			(position
				? "cursor is past all animals that were ever added, as after a restore from a backup; "
				: "cursor must be taken unchanged from a Link header and used with the same status filter; ") +
			"start again without it",
	},
	malformed_request: {
		status: 400,
		when:
			"the request is not HTTP/1.1 or HTTP/1.0, or is ambiguous: the connection is closed; or a proxy in " +
			"`TRUST_PROXY` forwards an invalid scheme or host",
		fix: "fix the client, or the proxy",
		message: (rule?: string) => rule ?? "the Host header must be given once and name a host (RFC 9112 §3.2)",
	},
	missing_credential: {
		status: 401,
		when: "no API key",
		fix: "send `Authorization: Bearer <API_KEY>`",
		message: () => "send your API key in the header Authorization: Bearer <API_KEY>",
		headers: ["WWW-Authenticate"],
	},
	invalid_credential: {
		status: 401,
		when: "the key does not work: unknown, mistyped, revoked or expired",
		fix: "ask for a new key",
		message: () =>
			"this API key does not work: check that it is complete and sent as Authorization: Bearer <API_KEY>, " +
			"or ask for a new one",
		headers: ["WWW-Authenticate"],
	},
	insufficient_scope: {
		status: 403,
		when: "the key lacks the scope",
		fix: "use a key with the scope that the message and `WWW-Authenticate` name",
		message: (scope: string) => `this API key lacks the scope ${scope}: use a key that has it`,
		example: ({ scope }) => [scope],
		headers: ["WWW-Authenticate"],
	},
	pet_not_found: {
		status: 404,
		when: "no animal has this id",
		fix: "—",
		message: () => "there is no animal with this id",
	},
	route_not_found: {
		status: 404,
		when: "the path is unknown",
		fix: "see `/openapi.json` for the paths",
		message: (path?: string) => path ?? "there is nothing at this path: the operations are listed in /openapi.json",
	},
	method_not_allowed: {
		status: 405,
		when: "the path does not accept this method",
		fix: "use a method that `Allow` names",
		message: (allowed?: string) =>
			allowed ? `this path supports only ${allowed}` : "CONNECT is not supported: this is not a proxy",
		example: ({ path }) => [`GET, ${path === "/pets" ? "POST, " : ""}HEAD, OPTIONS`],
		headers: ["Allow"],
	},
	request_timeout: {
		status: 408,
		when: "the request did not arrive in time",
		fix: "send it again, faster",
		message: () => "the request did not arrive in time: send it without pauses",
	},
	operation_removed: {
		status: 410,
		when: `getPet from ${getPetDeprecation.sunsetDay} on`,
		fix: "use listPets with the status filter",
		message: ({ sunset, successor }: Deprecation) =>
			`this operation was removed on ${sunset}; use ${successor.call} instead`,
		example: ({ deprecation = getPetDeprecation }) => [deprecation],
	},
	body_too_large: {
		status: 413,
		when: `more than ${bodyMaxBytes / 1024} KiB`,
		fix: "send less",
		message: () => `the body must be at most ${bodyMaxBytes} bytes`,
	},
	uri_too_long: {
		status: 414,
		when: `more than ${urlMaxLength / 1024} KiB`,
		fix: "shorten the URL",
		message: () => `the URL must be at most ${urlMaxLength} characters`,
	},
	unsupported_media_type: {
		status: 415,
		when: "compressed, or not `application/json` in UTF-8",
		fix: "send the type or encoding that `Accept` or `Accept-Encoding` of the reply names",
		message: (rule?: string) => rule ?? "the body must be sent as Content-Type: application/json, in UTF-8",
		headers: ["Accept", "Accept-Encoding"],
	},
	expectation_failed: {
		status: 417,
		when: "an `Expect` other than 100-continue",
		fix: "omit the header",
		message: () => "the only supported expectation is 100-continue",
	},
	idempotency_key_reused: {
		status: 422,
		when: "this Idempotency-Key was used with another body",
		fix: "use a new Idempotency-Key for a new animal",
		message: () => "this Idempotency-Key was used with another body: repeat that body, or send a new key",
	},
	rate_limited: {
		status: 429,
		when: "more requests than the key's rate",
		fix: "wait for `Retry-After`",
		message: (requests: number, windowSeconds: number, resetSeconds: number) =>
			`this API key may send ${requests} requests in ${windowSeconds} seconds: try again in ${resetSeconds} seconds`,
		example: () => [10, 60, 42],
		headers: ["Retry-After"],
	},
	headers_too_large: {
		status: 431,
		when: `more than ${headersMaxBytes / 1024} KiB or ${headersMaxCount} headers`,
		fix: "send less",
		message: (rule?: string) => rule ?? `the headers must be at most ${headersMaxBytes} bytes`,
	},
	internal_error: {
		status: 500,
		when: "the service failed; the cause is in its log",
		fix: "report the request id",
		message: () => "the service failed: report the X-Request-Id of this reply to its operator",
	},
	storage_unavailable: {
		status: 503,
		when: "the store cannot be read or written at the moment",
		fix: "retry after `Retry-After`",
		message: (fault?: string) => fault ?? "the store is not available at the moment: try again",
		headers: ["Retry-After"],
	},
	overloaded: {
		status: 503,
		when: "the service has too much work",
		fix: "retry after `Retry-After`",
		message: (fault?: string) => fault ?? "the service is overloaded: try again in a moment",
		headers: ["Retry-After"],
	},
	shutting_down: {
		status: 503,
		when: "`/readyz` while the service stops",
		fix: "use another node",
		message: () => "the service is stopping",
		headers: ["Retry-After"],
	},
} satisfies Record<string, ErrorEntry>;

export type ErrorCode = keyof typeof errors;
export const errorCodes = Object.keys(errors) as ErrorCode[];

type Failure = {
	[Code in ErrorCode]: [code: Code, ...values: Parameters<(typeof errors)[Code]["message"]>];
}[ErrorCode];

export function entryOf(code: ErrorCode): ErrorEntry {
	return errors[code];
}

/**
 * An expected failure, thrown by handlers. Its message names the field and the fix, but no internals. An ApiError is
 * not an Error, because recording a stack takes longer than the rest of a refusal. Without values, it can be constant.
 */
export class ApiError {
	readonly code: ErrorCode;
	readonly status: number;
	readonly message: string;
	/** 1 for codes whose replies have `Retry-After`, unless `after` sets another value. */
	readonly retryAfterSeconds: number | undefined;
	readonly json: string;

	constructor(...failure: Failure);
	constructor(code: ErrorCode, ...values: unknown[]) {
		const entry = entryOf(code);
		this.code = code;
		this.status = entry.status;
		this.message = entry.message(...(values as never[]));
		this.retryAfterSeconds = entry.headers?.includes("Retry-After") ? 1 : undefined;
		this.json = JSON.stringify({ code, message: this.message, status: this.status } satisfies ErrorBody);
	}

	/** Replaces the failure's `Retry-After`. */
	after(retryAfterSeconds: number): ApiError {
		return Object.assign(this, { retryAfterSeconds });
	}
}

const bodyFields = {
	code: Type.String({
		description:
			"machine-readable error code. The meaning of a code never changes. " +
			"Codes may be added: treat one that you do not know by its status",
		"x-extensible-enum": errorCodes,
	}),
	message: Type.String({ description: "what went wrong, for people; may change" }),
	status: Type.Integer({
		description: "the HTTP status code of the response",
		format: "int32",
		minimum: 400,
		maximum: 599,
	}),
};
/** The body of every error reply: exactly these three fields. */
export const ErrorBody = Type.Object(bodyFields, {
	component: "Error",
	description: "the one shape of every failure",
	examples: [{ code: "pet_not_found", message: errors.pet_not_found.message(), status: 404 }],
});
export type ErrorBody = Static<typeof ErrorBody>;
