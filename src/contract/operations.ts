// The three operations of the interface document (§4): method, path, scope, inputs, replies and failures. The routes,
// the OpenAPI document, the client and the reference are derived from this table.

import { type Deprecation, getPetDeprecation } from "./deprecation.ts";
import type { ErrorCode } from "./errors.ts";
import { filters, parametersOf } from "./filters.ts";
import { NewPet, Pet, Pets } from "./pet.ts";
import { type TObject, type TSchema, Type } from "./schema.ts";

/** The scopes that a key has by default. `metrics:read` allows the console's Activity view. */
export const defaultScopes = ["pets:read", "pets:write", "metrics:read"] as const;
/** All scopes that a key can have. `pets:edit` allows changing and removing animals in the console. */
export const scopes = [...defaultScopes, "pets:edit"] as const;
export type Scope = (typeof scopes)[number];

/** How many animals a page has by default, and at most (interface document §8). */
export const limitDefault = 20;
export const limitMax = 100;
/** How long an Idempotency-Key replays its first reply. */
export const idempotencyHours = 24;

export interface Operation {
	method: "GET" | "POST";
	/** Relative to the base address. Parameters are in braces, as in OpenAPI. */
	path: string;
	scope: Scope;
	summary: string;
	description: string;
	query: TObject;
	/** The schemas of path parameters by name. */
	params?: Record<string, TSchema>;
	/** The schemas of request headers by name. With `If-None-Match`, the reply may be 304. */
	headers?: Record<string, TSchema>;
	body?: TObject;
	/** The reply has `headers` in addition to `commonHeaders`. */
	success: {
		status: 200 | 201;
		description: string;
		schema: TSchema;
		headers: readonly ResponseHeader[];
		/** OpenAPI links: the operations that continue from this reply. */
		links?: Record<string, { operationId: string; parameters: Record<string, string>; description: string }>;
	};
	/** Failures in addition to those of every operation (`commonErrors`). */
	errors: readonly ErrorCode[];
	deprecation?: Deprecation;
}

/** The headers of replies, and their meaning. */
export const responseHeaders = {
	"X-Request-Id": "identifies this request in the logs: the request's own X-Request-Id if it is valid, else a new one",
	"Cache-Control": "`private, no-cache` on reads, `no-store` on everything else",
	ETag: "identifies this content; send it in If-None-Match",
	Link:
		'RFC 8288. Lists: `rel="first"` and `rel="last"` (the newest animals) always, `rel="next"` if animals follow, ' +
		'`rel="prev"` if animals precede. ' +
		'Deprecated operations: `rel="deprecation"` and `rel="successor-version"`.',
	Location: `the URL of the new animal, until getPet's removal on ${getPetDeprecation.sunsetDay}`,
	"Idempotency-Replayed": "`true` when this repeats the reply to an earlier request with the same Idempotency-Key",
	Vary: "the request headers that the reply depends on",
	"RateLimit-Policy": "with a rate limit: `q` requests in `w` seconds (draft-ietf-httpapi-ratelimit-headers)",
	RateLimit: "with a rate limit: `r` requests are left; the limit resets in `t` seconds",
	Deprecation: "RFC 9745: when the operation became deprecated",
	Sunset: "RFC 8594: when the operation will be removed",
} as const;
type ResponseHeader = keyof typeof responseHeaders;

/** Headers of every reply under `/v1`. */
export const commonHeaders: ResponseHeader[] = ["X-Request-Id", "Cache-Control", "RateLimit-Policy", "RateLimit"];

export const commonErrors = [
	"malformed_request",
	"unknown_parameter",
	"missing_credential",
	"invalid_credential",
	"insufficient_scope",
	"method_not_allowed",
	"request_timeout",
	"uri_too_long",
	"expectation_failed",
	"rate_limited",
	"headers_too_large",
	"internal_error",
	"storage_unavailable",
	"overloaded",
] as const satisfies readonly ErrorCode[];

const nouns = Object.values(filters)
	.map(({ noun }) => noun)
	.join(" and ");

const listQuery = Type.Object({
	limit: Type.Optional(
		Type.Integer({
			description: `an integer from 1 to ${limitMax} in plain decimal digits, given once`,
			minimum: 1,
			maximum: limitMax,
			default: limitDefault,
			format: "int32",
			examples: [limitDefault],
		}),
	),
	...parametersOf(filters),
	// The pattern is published but not checked: the error invalid_cursor explains more than a broken pattern would.
	cursor: Type.Optional(
		Type.String({
			description: `a cursor from a Link header, with the same ${nouns} filter, given once`,
			minLength: 1,
			examples: ["pWm1ZfGk4Yb0vXq3Tn8aRc2s"],
			published: { maxLength: 255, pattern: "^[A-Za-z0-9_-]+$" },
		}),
	),
});

const ifNoneMatch = Type.String({
	description:
		"the ETag of an earlier reply; the reply is 304 if nothing changed. A value that is not an entity tag is ignored",
	minLength: 1,
	maxLength: 8192,
	pattern: '^([*]|(W/)?"[!#-~]*"([ ]*,[ ]*(W/)?"[!#-~]*")*)$',
	examples: ['"2xkPp3bVqYg7nWc0sJd9Ha"'],
});

const idempotencyKey = Type.String({
	description:
		"1 to 255 visible ASCII characters, quotes optional: the same key with the same body adds one animal only",
	minLength: 1,
	maxLength: 257,
	// Text in quotes; or text with at most one quote, at its beginning or end; or a single quote.
	pattern: '^("[!-~]{1,255}"|[!#-~][!-~]{0,254}|"[!-~]{0,253}[!#-~]|")$',
	examples: ["7f0c2b1e-5d0a-4a57-9c43-3a1f0e6b8d92"],
});

const removal = `will be removed on ${getPetDeprecation.sunsetDay} and answers 410 from then on.`;

export const operations = {
	listPets: {
		method: "GET",
		path: "/pets",
		scope: "pets:read",
		summary: "List animals",
		description: `Returns the animals in the order in which they were added, the oldest first: by ascending \`id\`. \
Without parameters, it returns the first ${limitDefault}.

While more animals follow, the reply has a \`Link\` header with \`rel="next"\`. Follow that URL unchanged until a \
reply has none. Animals added in the meantime have larger ids, so a client skips none and sees none twice. \
\`rel="last"\` leads to the newest animals, always at the same URL, and \`rel="prev"\` from there towards the oldest.

To poll, send the \`ETag\` of a page in \`If-None-Match\`: while the page is the same, the reply is 304 without body.`,
		query: listQuery,
		headers: { "If-None-Match": ifNoneMatch },
		success: {
			status: 200,
			description: "A page of animals.",
			schema: Pets,
			headers: ["ETag", "Vary", "Link"],
		},
		errors: ["invalid_parameter", "invalid_cursor"],
	},
	createPet: {
		method: "POST",
		path: "/pets",
		scope: "pets:write",
		summary: "Add an animal",
		description: `Adds an animal and returns it, with the \`id\` that the service assigned. The reply is sent after \
the animal is on disk: a crash right after it loses nothing.

Send an \`Idempotency-Key\` with each create. If the reply is lost, repeat the request with the same key: within \
${idempotencyHours} hours this adds no second animal, and returns the first reply.

\`name\` is kept exactly as it was sent. A \`status\` that is not sent stays absent. Unknown fields are ignored, \
including \`id\`.`,
		query: Type.Object({}),
		headers: { "Idempotency-Key": idempotencyKey },
		body: NewPet,
		success: {
			status: 201,
			description: "The animal was added.",
			schema: Pet,
			headers: ["Location", "Idempotency-Replayed"],
			links: {
				getPet: {
					operationId: "getPet",
					parameters: { petId: "$response.body#/id" },
					description: `Gets the animal that was added, at the URL in the header Location. getPet ${removal}`,
				},
			},
		},
		errors: [
			"invalid_json",
			"invalid_body",
			"invalid_parameter",
			"body_too_large",
			"unsupported_media_type",
			"idempotency_key_reused",
		],
	},
	getPet: {
		method: "GET",
		path: "/pets/{petId}",
		scope: "pets:read",
		summary: "Get an animal",
		description: `Returns the animal with this \`id\`.

Deprecated: \`getPet\` ${removal} The replacement is ${getPetDeprecation.successor.call}. Until then, every reply \
carries the date in its headers \`Deprecation\` and \`Sunset\`.`,
		query: Type.Object({}),
		params: { petId: Pet.properties.id },
		headers: { "If-None-Match": ifNoneMatch },
		success: {
			status: 200,
			description: "The animal.",
			schema: Pet,
			headers: ["ETag", "Vary", "Deprecation", "Sunset", "Link"],
		},
		errors: ["pet_not_found", "operation_removed"],
		deprecation: getPetDeprecation,
	},
} as const satisfies Record<string, Operation>;

export type OperationName = keyof typeof operations;
