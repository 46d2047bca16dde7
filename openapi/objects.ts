// The parts of the OpenAPI document as types, for those who write it and for the reference page, which reads it.

import type { CodeSample } from "./code-samples.ts";

/** Names a part of the components, such as `#/components/schemas/Pet`. */
export interface Reference {
	$ref: string;
}

export interface SchemaObject {
	$ref?: string;
	type?: string;
	format?: string;
	description?: string;
	enum?: string[];
	default?: number;
	minimum?: number | bigint;
	maximum?: number | bigint;
	items?: SchemaObject;
	properties?: Record<string, SchemaObject>;
	required?: string[];
	examples?: unknown[];
}

export interface MediaTypeObject {
	schema: Reference;
	example?: unknown;
	examples?: Record<string, { value: unknown }>;
}

export interface ParameterObject {
	name: string;
	in: "path" | "query" | "header";
	required?: boolean;
	description: string;
	/** What a page for trying sends at once; it only suggests one of `examples`. */
	example?: unknown;
	examples?: Record<string, { value: unknown }>;
	schema: SchemaObject;
}

export interface ResponseObject {
	description: string;
	headers: Record<string, Reference>;
	content?: { "application/json": MediaTypeObject };
	links?: object;
}

export interface OperationObject {
	operationId: string;
	tags: string[];
	summary: string;
	description: string;
	deprecated?: boolean;
	"x-sunset"?: string;
	parameters: ParameterObject[];
	requestBody?: { required: boolean; content: { "application/json": MediaTypeObject } };
	responses: Record<string, ResponseObject>;
	"x-codeSamples": CodeSample[];
}

export interface OpenApiDocument {
	openapi: string;
	info: { title: string; version: string; summary: string; description: string; contact: object; license: object };
	servers: { url: string; description: string }[];
	security: object[];
	tags: { name: string; description: string }[];
	/** Operations by path and method. */
	paths: Record<string, Record<string, OperationObject>>;
	components: {
		securitySchemes: object;
		schemas: Record<string, SchemaObject>;
		headers: Record<string, { description: string; required?: boolean; schema: SchemaObject }>;
	};
}
