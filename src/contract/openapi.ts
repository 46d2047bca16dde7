// The OpenAPI 3.1 document, built from the operations table. It is served, committed as openapi.json, and linted.

import type { TSchema } from "typebox";
import { codeSamples } from "./code-samples.ts";
import { components, nameOf } from "./components.ts";
import { failureHeaders, failureReplies } from "./openapi-failures.ts";
import { commonHeaders, type Operation, type OperationName, operations, responseHeaders } from "./operations.ts";
import { asPublished } from "./published.ts";

declare global {
	/** The compiler does not know it yet. */
	interface JSON {
		rawJSON(text: string): unknown;
	}
}

/** The interface document's own version (§9). */
const version = "1.0.0";

const description = `A store of animals: list animals, add one, get one by its id. Every operation needs an API key.

Ids and categories are 64-bit integers. JavaScript's numbers and \`JSON.parse\` round those beyond 2^53.

Every reply also has headers that are not repeated below: \`Date\`, \`Connection\`, \`Keep-Alive\` and \
\`Content-Length\` of HTTP; \`X-Content-Type-Options\`, \`Content-Security-Policy\` and \`Referrer-Policy\`, and \
\`Strict-Transport-Security\` behind an https address, for browsers; and where pages of other origins may call the \
service, \`Vary: Origin\`, \`Access-Control-Allow-Origin\` and \`Access-Control-Expose-Headers\`.`;

/** @param baseUrl the configured base address, if any */
export function openApiDocument(baseUrl?: string) {
	const paths: Record<string, Record<string, unknown>> = {};
	for (const [name, operation] of Object.entries(operations) as [OperationName, Operation][]) {
		paths[operation.path] = {
			...paths[operation.path],
			[operation.method.toLowerCase()]: operationObject(name, operation),
		};
	}
	return {
		openapi: "3.1.0",
		info: {
			title: "Animal store",
			version,
			summary: "A store of animals: list animals, add one, get one by its id.",
			description,
			contact: { name: "The operator of this service" },
			license: { name: "MIT", identifier: "MIT" },
		},
		servers: [
			...(baseUrl === undefined ? [] : [{ url: baseUrl, description: "The configured address of this service" }]),
			{ url: "/v1", description: "The server that sent you this document" },
		],
		security: [{ apiKey: [] }],
		tags: [{ name: "pets", description: "Animals" }],
		paths,
		components: {
			securitySchemes: {
				apiKey: {
					type: "http",
					scheme: "bearer",
					description: "An API key, sent as `Authorization: Bearer <API_KEY>`.",
				},
			},
			schemas: Object.fromEntries([...components()].map(([name, schema]) => [name, membersWithReferences(schema)])),
			headers: Object.fromEntries(Object.entries({ ...responseHeaders, ...failureHeaders }).map(headerObject)),
		},
	};
}

/** The headers that each reply has for which they are declared. */
const required = [
	"X-Request-Id",
	"Cache-Control",
	"ETag",
	"Vary",
	"Location",
	"WWW-Authenticate",
	"Allow",
	"Retry-After",
];

function headerObject([name, description]: [string, string]) {
	return [name, { description, ...(required.includes(name) && { required: true }), schema: { type: "string" } }];
}

function operationObject(name: OperationName, operation: Operation) {
	const { summary, description, body, scope, success, deprecation } = operation;
	return {
		operationId: name,
		tags: ["pets"],
		summary,
		description: `${description} Needs the scope \`${scope}\`.`,
		...(deprecation && { deprecated: true, "x-sunset": new Date(deprecation.sunsetMs).toISOString().slice(0, 10) }),
		parameters: parameters(operation),
		...(body && { requestBody: { required: true, content: json(body) } }),
		responses: {
			[success.status]: {
				description: success.description,
				headers: headerReferences([...commonHeaders, ...success.headers]),
				content: json(success.schema),
				...(success.links && { links: success.links }),
			},
			...(operation.isConditional && {
				304: {
					description: "The animals have not changed since the reply with this ETag.",
					headers: headerReferences([...commonHeaders, ...success.headers]),
				},
			}),
			...failureReplies(operation, ({ description, headers, schema, examples }) => ({
				description,
				headers: headerReferences(headers),
				content: { "application/json": { schema: reference(schema), ...(examples && { examples }) } },
			})),
		},
		"x-codeSamples": codeSamples[name].map((sample) => ({ label: sample.lang, ...sample })),
	};
}

function parameters({ query, params = {}, headers = {} }: Operation) {
	return [
		...Object.entries(params).map(parameterIn("path")),
		...Object.entries(query.properties).map(parameterIn("query")),
		...Object.entries(headers).map(parameterIn("header")),
	];
}

function parameterIn(place: "path" | "query" | "header") {
	return ([name, schema]: [string, TSchema]) => {
		const { description, examples, ...rest } = asPublished(schema) as { description: string; examples: unknown[] };
		const [value] = examples;
		const isSent = place === "path" || "default" in rest;
		return {
			name,
			in: place,
			...(place === "path" && { required: true }),
			description,
			// The reference page sends an example unless it is off until the reader asks.
			...(isSent ? { example: value } : { examples: { typical: { value, "x-disabled": true } } }),
			schema: nameOf(schema) ? reference(schema) : rest,
		};
	};
}

function headerReferences(names: readonly string[]) {
	return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

function json(schema: TSchema) {
	const [example] = Reflect.get(schema, "examples") as unknown[];
	return { "application/json": { schema: reference(schema), example } };
}

function reference(schema: object) {
	return { $ref: `#/components/schemas/${nameOf(schema)}` };
}

/** The schema as plain JSON. Named schemas inside it become references. */
function withReferences(part: unknown): unknown {
	if (typeof part !== "object" || part === null) return part;
	return nameOf(part) === undefined ? membersWithReferences(part) : reference(part);
}

function membersWithReferences(part: object): unknown {
	if (Array.isArray(part)) return part.map(withReferences);
	return Object.fromEntries(Object.entries(asPublished(part)).map(([name, member]) => [name, withReferences(member)]));
}

/** The text of the document as it is served, printed and committed. */
export function openApiText(baseUrl?: string): string {
	const asDigits = (_name: string, value: unknown) => (typeof value === "bigint" ? JSON.rawJSON(String(value)) : value);
	return `${JSON.stringify(openApiDocument(baseUrl), asDigits, 2)}\n`;
}
