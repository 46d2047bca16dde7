// `npm run openapi` writes openapi.json, the OpenAPI 3.1 document, from the contract. The service serves this file, and
// the reference at /docs is built from the same document.

import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { ErrorBody, type ErrorCode, entryOf, errors, failureHeaders } from "../src/contract/errors.ts";
import { toJson } from "../src/contract/json.ts";
import {
	commonErrors,
	commonHeaders,
	type Operation,
	type OperationName,
	operations,
	responseHeaders,
} from "../src/contract/operations.ts";
import { NewPet, Pet, PetStatus, Pets } from "../src/contract/pet.ts";
import type { TSchema } from "../src/contract/schema.ts";
import { codeSamples } from "./code-samples.ts";
import { introduction } from "./introduction.ts";

const target = fileURLToPath(new URL("../openapi.json", import.meta.url));

/** The interface document's own version (§9). */
const version = "1.0.0";

const tagDescription =
	"An animal has a name, a category and, if it is known, a status. The service assigns its `id`. " +
	"Over this interface, animals are added and read. The operator of the service can change or remove an animal: the " +
	"next reply shows this, with another `ETag`. Ids are never used again.";

/** The schemas that have a name, by name. */
const components: Record<string, TSchema> = { PetStatus, NewPet, Pet, Pets, Error: ErrorBody };

/** Names a part of the components, such as `#/components/schemas/Pet`. */
export interface Reference {
	$ref: string;
}

export interface SchemaObject extends Partial<Reference> {
	type?: string;
	format?: string;
	description?: string;
	enum?: string[];
	default?: number;
	items?: SchemaObject;
	properties?: Record<string, SchemaObject>;
	required?: string[];
	examples?: unknown[];
}

interface MediaTypeObject {
	schema: Reference;
	example?: unknown;
	examples?: Record<string, { value: unknown }>;
}

interface ResponseObject {
	description: string;
	headers: Record<string, Reference>;
	content?: { "application/json": MediaTypeObject };
	links?: object;
}

export type ParameterObject = ReturnType<ReturnType<typeof parameterIn>>;
export type OperationObject = ReturnType<typeof operationObject>;
export type OpenApiDocument = ReturnType<typeof openApiDocument>;

export function openApiDocument() {
	const paths: Record<string, Record<string, OperationObject>> = {};
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
			description: introduction,
			contact: { name: "The operator of this service" },
			license: { name: "MIT", identifier: "MIT" },
		},
		servers: [{ url: "/v1", description: "The server that sent you this document" }],
		security: [{ apiKey: [] }],
		tags: [{ name: "pets", description: tagDescription }],
		paths,
		components: {
			securitySchemes: {
				apiKey: {
					type: "http",
					scheme: "bearer",
					description: "An API key with the scope of the operation, sent as `Authorization: Bearer <API_KEY>`.",
				},
			},
			schemas: Object.fromEntries(Object.entries(components).map(([name, schema]) => [name, schemaObject(schema)])),
			headers: Object.fromEntries(Object.entries({ ...responseHeaders, ...failureHeaders }).map(headerObject)),
		},
	};
}

/** A reply always has these headers if it declares them. Not Location: after getPet's removal, no reply has it. */
const required = ["X-Request-Id", "Cache-Control", "ETag", "Vary", "WWW-Authenticate", "Allow", "Retry-After"];

function headerObject([name, description]: [string, string]) {
	const header = { description, ...(required.includes(name) && { required: true }), schema: { type: "string" } };
	return [name, header] as const;
}

function operationObject(name: OperationName, operation: Operation) {
	const { summary, description, body, scope, deprecation } = operation;
	return {
		operationId: name,
		tags: ["pets"],
		summary,
		description: `${description}\n\nNeeds the scope \`${scope}\`.`,
		...(deprecation && { deprecated: true, "x-sunset": new Date(deprecation.sunsetMs).toISOString().slice(0, 10) }),
		parameters: parameters(operation),
		...(body && { requestBody: { required: true, content: json(body) } }),
		responses: { ...successReplies(operation), ...failureReplies(operation) },
		"x-codeSamples": codeSamples[name],
	};
}

function successReplies({ success, headers: asked = {} }: Operation): Record<string, ResponseObject> {
	const { status, description, schema, links } = success;
	const headers = headerReferences([...commonHeaders, ...success.headers]);
	const notModified = { description: "The animals have not changed since the reply with this ETag.", headers };
	return {
		[status]: { description, headers, content: json(schema), ...(links && { links }) },
		...("If-None-Match" in asked && { 304: notModified }),
	};
}

/** Statuses of failures before the key is known: these replies have no RateLimit headers. */
const beforeRate = [401, 408, 414, 431];
/** Statuses of failures after the deprecation check: these replies have deprecation headers. */
const afterDeprecation = [400, 404, 410, 500, 503];

/** Describes each failure status of an operation: when it is sent, its headers, and an example of each code. */
function failureReplies(operation: Operation): Record<string, ResponseObject> {
	const codes: ErrorCode[] = [...operation.errors, ...commonErrors];
	const replies: Record<string, ResponseObject> = {};
	for (const [text, ofStatus = []] of Object.entries(Object.groupBy(codes, (code) => errors[code].status))) {
		const status = Number(text);
		const headers = [
			...["X-Request-Id", "Cache-Control"],
			...(beforeRate.includes(status) ? [] : ["RateLimit-Policy", "RateLimit"]),
			...(operation.deprecation && afterDeprecation.includes(status) ? ["Deprecation", "Sunset", "Link"] : []),
			...ofStatus.flatMap((code) => entryOf(code).headers ?? []),
		];
		const examples = Object.fromEntries(ofStatus.map((code) => [code, { value: exampleReply(code, operation) }]));
		replies[text] = {
			description: ofStatus.map((code) => `\`${code}\`: ${errors[code].when}.`).join(" "),
			headers: headerReferences(headers),
			content: { "application/json": { schema: reference(ErrorBody), examples } },
		};
	}
	return {
		...replies,
		default: {
			description: "Any other failure. Later versions may add codes and statuses.",
			headers: {},
			content: { "application/json": { schema: reference(ErrorBody) } },
		},
	};
}

function exampleReply(code: ErrorCode, operation: Operation): ErrorBody {
	const { status, message, example } = entryOf(code);
	const values = example?.(operation) ?? [];
	return { code, message: message(...(values as never[])), status };
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
		const { description = "", examples = [], ...rest } = asPublished(schema);
		const [value] = examples;
		// Pages for trying out requests send an `example` at once, but one of the `examples` only if the reader chooses it.
		const isSent = place === "path" || "default" in rest;
		const shown: Omit<MediaTypeObject, "schema"> = isSent ? { example: value } : { examples: { typical: { value } } };
		return {
			name,
			in: place,
			...(place === "path" && { required: true }),
			description,
			...shown,
			schema: (schema.component ? reference(schema) : rest) as SchemaObject,
		};
	};
}

function headerReferences(names: readonly string[]): Record<string, Reference> {
	return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

function json(schema: TSchema): { "application/json": MediaTypeObject } {
	const [example] = schema.examples ?? [];
	return { "application/json": { schema: reference(schema), example } };
}

function reference({ component = "" }: TSchema): Reference {
	if (!Object.hasOwn(components, component)) throw new Error(`add the schema ${component} to components`);
	return { $ref: `#/components/schemas/${component}` };
}

/** The keywords of a schema in the document. */
function asPublished({ component: _name, optional: _mark, published, ...keywords }: TSchema & { optional?: true }) {
	return { ...keywords, ...published } as Pick<TSchema, "description" | "examples">;
}

/** The schema as plain JSON. Named schemas inside it become references. */
function schemaObject(schema: TSchema & { properties?: Record<string, TSchema>; items?: TSchema }): SchemaObject {
	const { properties, items } = schema;
	const nested = (part: TSchema) => (part.component ? reference(part) : schemaObject(part));
	const fields = Object.entries(properties ?? {}).map(([name, part]) => [name, nested(part)]);
	return {
		...asPublished(schema),
		...(properties && { properties: Object.fromEntries(fields) }),
		...(items && { items: nested(items) }),
	};
}

/** The text of openapi.json. */
export function openApiText(): string {
	return `${openApiJson(openApiDocument())}\n`;
}

/** A part of the document as text, with exact integers. */
export function openApiJson(part: unknown): string {
	return toJson(part, 2);
}

if (import.meta.main) writeFileSync(target, openApiText());
