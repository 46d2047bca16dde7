// The error codes, the HTTP status of each, and the error class (interface document §7). The meaning of a code never
// changes, and codes may be added; messages are for people and may change.

import { component } from "./components.ts";
import { type Static, Type } from "./schema.ts";

export const errorStatus = {
	invalid_json: 400,
	invalid_body: 400,
	invalid_parameter: 400,
	unknown_parameter: 400,
	invalid_cursor: 400,
	malformed_request: 400,
	missing_credential: 401,
	invalid_credential: 401,
	insufficient_scope: 403,
	pet_not_found: 404,
	route_not_found: 404,
	method_not_allowed: 405,
	request_timeout: 408,
	operation_removed: 410,
	body_too_large: 413,
	uri_too_long: 414,
	unsupported_media_type: 415,
	expectation_failed: 417,
	idempotency_key_reused: 422,
	rate_limited: 429,
	headers_too_large: 431,
	internal_error: 500,
	storage_unavailable: 503,
	overloaded: 503,
	shutting_down: 503,
} as const;

export type ErrorCode = keyof typeof errorStatus;
export const errorCodes = Object.keys(errorStatus) as ErrorCode[];

/** The body of every error reply: exactly these three fields. */
export const ErrorBody = component(
	"Error",
	Type.Object(
		{
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
		},
		{
			description: "the one shape of every failure",
			examples: [{ code: "pet_not_found", message: "there is no animal with this id", status: 404 }],
		},
	),
);
export type ErrorBody = Static<typeof ErrorBody>;

declare global {
	interface ErrorConstructor {
		/** Of V8; other engines ignore it. */
		stackTraceLimit: number;
	}
}

/**
 * An expected failure. The caller gets the message as it is: it names the field and the fix, and no internals. It has
 * no stack: nobody would read it, and it takes longer than the rest of a refusal.
 */
export class ApiError extends Error {
	override readonly name = "ApiError";
	readonly code: ErrorCode;
	readonly status: number;
	/** Seconds after which another attempt may succeed; sent as `Retry-After`. */
	readonly retryAfterSeconds: number | undefined;

	constructor(code: ErrorCode, message: string, retryAfterSeconds?: number) {
		const usual = Error.stackTraceLimit;
		Error.stackTraceLimit = 0;
		super(message);
		Error.stackTraceLimit = usual;
		this.code = code;
		this.status = errorStatus[code];
		this.retryAfterSeconds = retryAfterSeconds;
	}

	toJSON(): ErrorBody {
		return { code: this.code, message: this.message, status: this.status };
	}
}
