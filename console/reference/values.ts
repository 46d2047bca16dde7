// Parameters of operations and fields of objects on the reference page, one row each.

import type { ParameterObject, Reference, SchemaObject } from "../../openapi/document.ts";
import { type Html, html } from "./html.ts";
import { inline } from "./markdown.ts";

/** The name at the end of a `$ref`. */
export function nameIn({ $ref }: Partial<Reference>): string {
	return $ref?.replace(/^.*\//, "") ?? "";
}

export function parameterRows(parameters: ParameterObject[]): Html {
	return html`<dl class="values">${parameters.map(({ name, required, description, schema }) =>
		row({ name, schema, isRequired: required === true, description }),
	)}</dl>`;
}

/** @param schemas the schemas to which fields refer */
export function fieldRows(
	{ properties = {}, required = [] }: SchemaObject,
	schemas: Record<string, SchemaObject>,
): Html {
	return html`<dl class="values">${Object.entries(properties).map(([name, schema]) =>
		row({
			name,
			schema,
			isRequired: required.includes(name),
			description: (schemas[nameIn(schema)] ?? schema).description,
		}),
	)}</dl>`;
}

interface Row {
	name: string;
	schema: SchemaObject;
	isRequired: boolean;
	description: string | undefined;
}

function row({ name, schema, isRequired, description }: Row): Html {
	const preset =
		schema.default !== undefined && html` <span class="fact">default <code>${schema.default}</code></span>`;
	return html`<dt><code>${name}</code> ${typeOf(schema)}${
		isRequired ? html` <span class="required">required</span>` : html` <span class="fact">optional</span>`
	}${preset}</dt>
<dd>${description && inline(sentence(description))}</dd>`;
}

function typeOf(schema: SchemaObject): Html {
	if (schema.$ref) return html`<a class="type" href="#${nameIn(schema)}">${nameIn(schema)}</a>`;
	return html`<span class="type">${schema.format ?? schema.type}</span>`;
}

/** Adds a capital letter and a full stop. Descriptions lack both, because they are parts of messages. */
export function sentence(description: string): string {
	const text = description.charAt(0).toUpperCase() + description.slice(1);
	return /[.`]$/.test(text) ? text : `${text}.`;
}
