// The OpenAPI 3.1 document, built from the operations table. It is served, committed as openapi.json, and linted.

import type { TSchema } from "typebox";
import { codeSamples } from "./code-samples.ts";
import { components, nameOf } from "./components.ts";
import { type ErrorCode, errorStatus } from "./errors.ts";
import {
	commonErrors,
	commonHeaders,
	type Operation,
	type OperationName,
	operations,
	responseHeaders,
} from "./operations.ts";

/** The interface document's own version (§9). */
const version = "1.0.0";

const meaning: Record<number, string> = {
	400: "The request breaks a rule; the message names each broken field.",
	401: "The credential is missing or does not work.",
	403: "The key works but lacks the scope.",
	404: "The requested resource could not be found.",
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

const challenge = "RFC 6750: the Bearer challenge. It names the problem with the credential, or the missing scope.";

/** Headers that only some failures carry. */
const failureHeaders: Record<number, Record<string, string>> = {
	401: { "WWW-Authenticate": challenge },
	403: { "WWW-Authenticate": challenge },
	415: {
		Accept: "the accepted type, when the body has another one",
		"Accept-Encoding": "`identity`, when the body is compressed",
	},
	429: { "Retry-After": "seconds until requests are accepted again" },
	503: { "Retry-After": "seconds after which another attempt may succeed" },
};

export function openApiDocument() {
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
			description: "A store of animals: list animals, add one, get one by its id. Every operation needs an API key.",
			license: { name: "MIT", identifier: "MIT" },
		},
		servers: [
			{
				url: "{base_url}",
				description: "Production",
				variables: { base_url: { default: "https://api.animal-store.example/v1" } },
			},
			{
				url: "{staging_base_url}",
				description: "Staging",
				variables: { staging_base_url: { default: "https://staging.animal-store.example/v1" } },
			},
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
			headers: Object.fromEntries(
				Object.entries({
					...responseHeaders,
					...failureHeaders[401],
					...failureHeaders[415],
					...failureHeaders[503],
				}).map(([name, description]) => [name, { description, schema: { type: "string" } }]),
			),
		},
	};
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
				headers: headerReferences(success.headers),
				content: json(success.schema),
				...(success.links && { links: linkObjects(success.links) }),
			},
			...(operation.isConditional && {
				304: {
					description: "The animals have not changed since the reply with this ETag.",
					headers: headerReferences(success.headers),
				},
			}),
			...failures([...operation.errors, ...commonErrors]),
		},
		"x-codeSamples": codeSamples[name].map((sample) => ({ label: sample.lang, ...sample })),
	};
}

function linkObjects(links: NonNullable<Operation["success"]["links"]>) {
	return Object.fromEntries(Object.entries(links).map(([name, link]) => [name, { operationId: name, ...link }]));
}

function parameters({ query, params = {}, headers = {} }: Operation) {
	return [
		...Object.entries(params).map(([name, schema]) => ({
			name,
			in: "path",
			required: true,
			...parameterSchema(schema),
		})),
		...Object.entries(query.properties).map(([name, schema]) => ({ name, in: "query", ...parameterSchema(schema) })),
		...Object.entries(headers).map(([name, schema]) => ({ name, in: "header", ...parameterSchema(schema) })),
	];
}

function parameterSchema(schema: TSchema) {
	const { description, ...rest } = schema as TSchema & { description: string };
	return { description, schema: nameOf(schema) ? reference(schema) : rest };
}

/** One reply for each status, with an example for each code. */
function failures(codes: ErrorCode[]) {
	const byStatus = Object.groupBy(codes, (code) => errorStatus[code]);
	return Object.fromEntries(
		Object.entries(byStatus).map(([status, ofStatus = []]) => [
			status,
			{
				description: meaning[Number(status)],
				headers: headerReferences([
					"X-Request-Id",
					"Cache-Control",
					...Object.keys(failureHeaders[Number(status)] ?? {}),
				]),
				content: {
					"application/json": {
						schema: { $ref: "#/components/schemas/Error" },
						examples: Object.fromEntries(
							ofStatus.map((code) => [
								code,
								{ value: { code, message: meaning[Number(status)], status: Number(status) } },
							]),
						),
					},
				},
			},
		]),
	);
}

function headerReferences(names: readonly string[]) {
	return Object.fromEntries(
		[...commonHeaders, ...names].map((name) => [name, { $ref: `#/components/headers/${name}` }]),
	);
}

function json(schema: TSchema) {
	const [example] = Reflect.get(schema, "examples") as unknown[];
	return { "application/json": { schema: reference(schema), example } };
}

function reference(schema: TSchema) {
	return { $ref: `#/components/schemas/${nameOf(schema)}` };
}

/** The schema as plain JSON. Named schemas inside it become references. */
function withReferences(part: unknown): unknown {
	if (typeof part !== "object" || part === null) return part;
	return nameOf(part) === undefined ? membersWithReferences(part) : reference(part);
}

function membersWithReferences(part: object): unknown {
	if (Array.isArray(part)) return part.map(withReferences);
	return Object.fromEntries(Object.entries(part).map(([name, member]) => [name, withReferences(member)]));
}

/** The text of the document as it is served, printed and committed. */
export function openApiText(): string {
	return `${JSON.stringify(openApiDocument(), null, "\t")}\n`;
}
