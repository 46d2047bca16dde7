// Compares replies with the OpenAPI document: every field and header of a reply must be declared, and a reply must have
// every required field and header. The pool (test/support/pool.ts) compares every reply.

import assert from "node:assert/strict";
import { Ajv, type ValidateFunction } from "ajv";
import { openApiText } from "../../openapi/document.ts";
import type { Reply } from "./wire.ts";

interface Reference {
	$ref: string;
}

export interface ResponseObject {
	headers: Record<string, Reference>;
	content?: { "application/json": { schema: Reference; examples?: Record<string, { value: { message: string } }> } };
}

interface OperationObject {
	operationId: string;
	responses: Record<string, ResponseObject>;
}

interface SchemaObject {
	items?: Reference;
	properties?: Record<string, object>;
}

interface Document {
	info: { description: string };
	paths: Record<string, Record<string, OperationObject>>;
	components: { schemas: Record<string, SchemaObject>; headers: Record<string, { required?: boolean }> };
}

export const document: Document = JSON.parse(openApiText());

/** The headers that the document's description declares for all replies. */
const [, headersOfAll = ""] = document.info.description.split("**Headers.**");
const everywhere = [...headersOfAll.matchAll(/`([A-Z][\w-]+)(?:: Origin)?`/g)].map(([, name = ""]) => name);
const ajv = new Ajv({ strict: false, meta: false, validateSchema: false, formats: { int32: true, int64: true } });
ajv.addSchema({ ...document, $id: "openapi" });
const validators = new Map<string, ValidateFunction>();

const templates = Object.entries(document.paths).map(([path, methods]) => ({
	methods,
	pattern: new RegExp(`^/v1${path.replace(/\{\w+\}/g, "[^/?#]+")}(?:\\?[^#]*)?$`),
}));

/** @returns the declaration of this reply in the document; undefined for other paths and for OPTIONS */
function declaredReply(method: string, path: string, status: number): ResponseObject | undefined {
	const template = templates.find(({ pattern }) => pattern.test(path));
	if (!template || method === "OPTIONS") return undefined;
	const { methods } = template;
	const operation = methods[method === "HEAD" ? "get" : method.toLowerCase()] ?? Object.values(methods)[0];
	const response = operation?.responses[status];
	assert.ok(operation && response, `${method} ${path.slice(0, 80)} answers ${status}, which the document lacks`);
	return response;
}

/** @throws AssertionError if the reply differs from its declaration */
export function assertDeclared({ method = "GET", path }: { method?: string; path: string }, reply: Reply): void {
	const declared = declaredReply(method, path, reply.status);
	if (!declared) return;
	const shown = `${method} ${path.slice(0, 80)} answers ${reply.status} ${JSON.stringify(reply.headers)}`;
	assertHeaders(declared, reply, shown);
	const { schema } = declared.content?.["application/json"] ?? {};
	if (method === "HEAD" || !schema) assert.equal(reply.body, "", shown);
	else assertBody(schema, JSON.parse(reply.body), shown);
}

function assertBody(schema: Reference, value: unknown, shown: string): void {
	const name = schema.$ref.replace(/^.*\//, "");
	const isValid = validators.get(name) ?? ajv.compile({ $ref: `openapi${schema.$ref}` });
	validators.set(name, isValid);
	assert.ok(isValid(value), `${shown}: ${JSON.stringify(isValid.errors)}`);
	assert.deepEqual(undeclaredFields(schema, value), [], `${shown}: fields that the document lacks`);
}

function assertHeaders({ headers }: ResponseObject, reply: Reply, shown: string): void {
	const names = [...everywhere, "Content-Type", ...Object.keys(headers)].map((name) => name.toLowerCase());
	for (const name of Object.keys(reply.headers)) assert.ok(names.includes(name), `${shown}: ${name} is not declared`);
	for (const name of Object.keys(headers)) {
		if (!document.components.headers[name]?.required) continue;
		assert.ok(name.toLowerCase() in reply.headers, `${shown}: ${name} is missing`);
	}
}

function undeclaredFields({ $ref }: Reference, value: unknown): string[] {
	const schema = document.components.schemas[$ref.replace(/^.*\//, "")];
	if (Array.isArray(value)) return value.flatMap((item) => (schema?.items ? undeclaredFields(schema.items, item) : []));
	return Object.keys(value as object).filter((field) => !(field in (schema?.properties ?? {})));
}
