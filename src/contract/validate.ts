// Checks values against their schemas. One message names all broken fields and their rules; a rule is the schema's own
// `description`.

import { Ajv, type ErrorObject, type ValidateFunction } from "ajv";
import { type BrokenField, brokenFieldsMessage } from "./broken-fields.ts";
import { ApiError } from "./errors.ts";
import { isInt64 } from "./int64.ts";
import { NewPet, newPetFields } from "./pet.ts";
import type { Static, TObject, TSchema } from "./schema.ts";

// Without a check of the schemas themselves, which takes longer than all of theirs: a test has it.
const ajv = new Ajv({ allErrors: true, ownProperties: true, strict: true, meta: false, validateSchema: false });
ajv.addKeyword({
	keyword: "int64",
	modifying: true,
	errors: false,
	validate: (
		_schema: true,
		value: unknown,
		_parent: unknown,
		at?: { parentData: object; parentDataProperty: string | number },
	) => {
		if (!isInt64(value)) return false;
		if (at) Object.assign(at.parentData, { [at.parentDataProperty]: BigInt(value) });
		return true;
	},
});

/**
 * A check that returns each broken field and converts int64 fields to bigint. The schema is compiled by the first call:
 * a command needs few of them.
 */
export function compileCheck(schema: TObject): (value: unknown) => BrokenField[] {
	let compiled: ValidateFunction | undefined;
	return (value) => {
		compiled ??= ajv.compile(withInt64(schema));
		return compiled(value) ? [] : describe(schema, compiled.errors ?? []);
	};
}

/** Ajv does not accept a bigint as `integer`, so our own keyword checks these fields. */
function withInt64(schema: TSchema): TSchema {
	return JSON.parse(JSON.stringify(schema), (_key, part) =>
		part?.format === "int64" && part.type === "integer" ? { int64: true } : part,
	);
}

function describe(schema: TObject, errors: ErrorObject[]): BrokenField[] {
	const missing = new Set<string>(errors.map((error) => error.params["missingProperty"]));
	const broken = new Set<string>(errors.map((error) => error.params["missingProperty"] ?? error.instancePath.slice(1)));
	if (broken.has("")) return [{ field: undefined, rule: `must be ${ruleOf(schema)}` }];
	return [...broken].map((field) => {
		const required = missing.has(field) ? "is required and " : "";
		return { field, rule: `${required}must be ${ruleOf(schema.properties[field])}` };
	});
}

function ruleOf(schema: TSchema | undefined): string {
	return String(schema?.description);
}

/** Converts integer fields from text to numbers, where the text is plain decimal digits. */
export function integersFromText(schema: TObject, texts: Record<string, unknown>): Record<string, unknown> {
	const values = { ...texts };
	for (const [name, property] of Object.entries(schema.properties)) {
		const text = values[name];
		const isInteger = property.type === "integer";
		if (isInteger && typeof text === "string" && /^(?:0|[1-9][0-9]*)$/.test(text)) values[name] = Number(text);
	}
	return values;
}

const brokenFieldsOf = compileCheck(NewPet);

/**
 * Checks the body of `createPet`, as `parseJson` returned it, and drops unknown fields.
 * @throws ApiError `invalid_body`, naming every broken field
 */
export function checkNewPet(value: unknown): NewPet {
	const broken = brokenFieldsOf(value);
	if (broken.length > 0) throw new ApiError("invalid_body", brokenFieldsMessage(broken));
	return knownFieldsOf(value as NewPet);
}

function knownFieldsOf(given: NewPet): NewPet {
	const known: Record<string, unknown> = {};
	for (const field of newPetFields) if (given[field] !== undefined) known[field] = given[field];
	return known as unknown as NewPet;
}

/**
 * Returns the check of an operation's query: each parameter at most once, not empty, integers in plain decimal digits.
 * @throws ApiError `unknown_parameter` or `invalid_parameter`, naming every broken parameter
 */
export function queryCheck<S extends TObject>(schema: S): (query: Record<string, unknown>) => Static<S> {
	const brokenIn = compileCheck(schema);
	const known = Object.keys(schema.properties);
	return (query) => {
		const unknown = Object.keys(query).filter((name) => !known.includes(name));
		if (unknown.length > 0) throw new ApiError("unknown_parameter", unknown, known);
		const value = integersFromText(schema, query);
		const broken = brokenIn(value);
		if (broken.length > 0) throw new ApiError("invalid_parameter", brokenFieldsMessage(broken));
		return value as Static<S>;
	};
}
