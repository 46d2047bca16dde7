// The error replies of the OpenAPI document: for each status of an operation its meaning, its headers, and an example
// of each of its codes.

import { exampleMessage } from "./error-examples.ts";
import { ErrorBody, type ErrorCode, errorStatus } from "./errors.ts";
import { commonErrors, type Operation } from "./operations.ts";

const meaning: Record<number, string> = {
	400: "The request breaks a rule; the message names each broken field.",
	401: "The credential is missing or does not work.",
	403: "The key works but lacks the scope.",
	404: "The requested resource could not be found.",
	405: "The path does not support this method. Allow names those that it supports.",
	408: "The request did not arrive in time.",
	410: "The operation was removed.",
	413: "The body is too large.",
	414: "The URL is too long.",
	415: "The body is not uncompressed JSON in UTF-8.",
	417: "The expectation cannot be met.",
	422: "The Idempotency-Key was already used with another body.",
	429: "The key sent more requests than its rate allows.",
	431: "The headers are too large.",
	500: "The service failed; its log has the cause.",
	503: "Not possible at the moment. Try again after Retry-After.",
};

/** Headers of error replies only: their meaning by name. */
export const failureHeaders = {
	"WWW-Authenticate": "RFC 6750: the Bearer challenge. It names the problem with the credential, or the missing scope.",
	Accept: "the accepted type, when the body has another one",
	"Accept-Encoding": "`identity`, when the body is compressed",
	Allow: "the methods that the path supports",
	"Retry-After": "seconds after which another attempt may succeed",
} as const;

const ofStatus: Record<number, readonly (keyof typeof failureHeaders)[]> = {
	401: ["WWW-Authenticate"],
	403: ["WWW-Authenticate"],
	405: ["Allow"],
	415: ["Accept", "Accept-Encoding"],
	429: ["Retry-After"],
	503: ["Retry-After"],
};

/** Refused before the key is known, so without the limits of its rate. */
const beforeRate = [401, 408, 414, 431];
/** Sent after the check for deprecation, so with its headers. */
const afterDeprecation = [400, 404, 410, 500, 503];

function headersOf(status: number, { deprecation }: Operation): string[] {
	return [
		...["X-Request-Id", "Cache-Control"],
		...(beforeRate.includes(status) ? [] : ["RateLimit-Policy", "RateLimit"]),
		...(deprecation && afterDeprecation.includes(status) ? ["Deprecation", "Sunset", "Link"] : []),
		...(ofStatus[status] ?? []),
	];
}

/** A reply without examples: for codes and statuses that a later version adds. */
const anyOther = { description: "Any other failure. Later versions may add codes and statuses.", headers: [] };

/** @param replyOf builds a response object from its description, the names of its headers, its schema and examples */
export function failureReplies<Response>(
	operation: Operation,
	replyOf: (reply: {
		description: string;
		headers: string[];
		schema: object;
		examples?: Record<string, { value: unknown }>;
	}) => Response,
): Record<string, Response> {
	const codes: ErrorCode[] = [...operation.errors, ...commonErrors];
	const byStatus = Object.groupBy(codes, (code) => errorStatus[code]);
	const replies = Object.entries(byStatus).map(([text, ofStatus = []]) => {
		const status = Number(text);
		const examples = ofStatus.map((code) => [
			code,
			{ value: { code, message: exampleMessage(code, operation), status } },
		]);
		const reply = { description: meaning[status] ?? "", headers: headersOf(status, operation), schema: ErrorBody };
		return [text, replyOf({ ...reply, examples: Object.fromEntries(examples) })];
	});
	return Object.fromEntries([...replies, ["default", replyOf({ ...anyOther, schema: ErrorBody })]]);
}
