// Checks values against their schemas. One message names all broken fields with their rules (`description`).

import { int64FromDecimal, isInt64 } from "./json.ts";
import { isInt64Schema, NewPet, newPetFields } from "./pet.ts";
import type { Static, TObject, TSchema } from "./schema.ts";

export interface Fault {
	/** Undefined when the whole value is invalid. */
	field: string | undefined;
	/** Begins with a verb, such as "must be …" or "is required and must be …". */
	problem: string;
	/** A part of the message that concerns only this value. It is not in `problem`: equal problems can be counted. */
	detail?: string;
}

/** One message with a phrase for each fault. */
export function describeFaults(faults: readonly Fault[]): string {
	const describe = ({ field, problem, detail }: Fault) =>
		(field === undefined ? problem : `${field} ${problem}`) + (detail === undefined ? "" : `: ${detail}`);
	return faults.map(describe).join("; ");
}

/** The result of a check: the valid fields that the schema knows, and all faults of the value. */
export type Checked<Value> = { value: Value; faults?: undefined } | { value: Partial<Value>; faults: Fault[] };

/**
 * Returns a function that checks values against a schema, drops unknown fields and converts int64 fields to bigint.
 * @param integerOf reads an integer from a string, for inputs whose values are all strings, such as a query
 */
export function checkOf<S extends TObject>(schema: S, integerOf?: IntegerOf): (given: unknown) => Checked<Static<S>> {
	const fields = Object.entries(schema.properties).map(([field, property]) => ({
		field,
		read: readerOf(property, integerOf),
		isRequired: schema.required.includes(field),
		problem: `must be ${property.description}`,
	}));
	return (given) => {
		const value: Record<string, unknown> = {};
		if (!isObject(given)) {
			return { value: {}, faults: [{ field: undefined, problem: `the body must be ${schema.description}` }] };
		}
		const missing: Fault[] = [];
		const broken: Fault[] = [];
		for (const { field, read, isRequired, problem } of fields) {
			const found = Object.hasOwn(given, field) ? given[field] : undefined;
			const known = found === undefined ? undefined : read(found);
			if (known !== undefined) value[field] = known;
			else if (found !== undefined) broken.push({ field, problem });
			else if (isRequired) missing.push({ field, problem: `is required and ${problem}` });
		}
		if (missing.length + broken.length > 0)
			return { value: value as Partial<Static<S>>, faults: [...missing, ...broken] };
		return { value: value as Static<S> };
	};
}

function isObject(value: unknown): value is Record<string, unknown> {
	return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Returns a field's value in the form in which it is kept; undefined if the value is invalid. */
type Reader = (value: unknown) => unknown;

type IntegerOf = (text: string) => bigint | undefined;

function readerOf(schema: TSchema, integerOf?: IntegerOf): Reader {
	const { enum: choices, type, minimum = -Infinity, maximum = Infinity } = schema;
	if (choices) return (value) => (choices.includes(value) ? value : undefined);
	if (type !== "integer") return stringReader(schema);
	const isExact = isInt64Schema(schema);
	return (value) => {
		const integer = integerOf ? integerOf(String(value)) : value;
		if (!isInt64(integer)) return undefined;
		if (isExact) return BigInt(integer);
		const number = Number(integer);
		return Number.isSafeInteger(number) && number >= minimum && number <= maximum ? number : undefined;
	};
}

function stringReader({ minLength = 0, maxLength = Infinity, pattern = "" }: TSchema): Reader {
	const expression = new RegExp(pattern, "u");
	return (value) => {
		if (typeof value !== "string") return undefined;
		// Code points are counted only if the number of UTF-16 units is not enough to decide.
		const isPlain = value.length <= maxLength && minLength <= 1;
		const length = isPlain ? value.length : Array.from(value).length;
		return length >= minLength && length <= maxLength && expression.test(value) ? value : undefined;
	};
}

/** Checks an animal as `parseJson` returned it. */
export const checkFields = checkOf(NewPet);

const checkTextFields = checkOf(NewPet, integerOfText);
const optionalFields = newPetFields.filter((field) => !NewPet.required.includes(field));

/** Checks an animal whose fields are strings: CSV cells or form entries. An optional field may be empty. */
export function checkTexts(texts: Readonly<Partial<Record<keyof NewPet, string>>>): Checked<NewPet> {
	const given = { ...texts };
	for (const field of optionalFields) if (given[field] === "") delete given[field];
	return checkTextFields(given);
}

/** Reads an integer from a form or a file (digitsOf); undefined if the text is not a 64-bit integer. */
export function integerOfText(text: string): bigint | undefined {
	return int64FromDecimal(text) ?? int64FromDecimal(digitsOf(text));
}

/**
 * Returns the plain decimal digits of an integer that a person or a program wrote: drops white space around it,
 * leading zeros, and one or two zeros as decimals (three zeros could mean thousands). Returns other texts unchanged.
 */
export function digitsOf(text: string): string {
	const [, sign, digits] = /^\s*(-?)0*([1-9]\d*|0)(?:[.,]00?)?\s*$/.exec(text) ?? [];
	if (digits === undefined) return text;
	return digits === "0" ? digits : `${sign}${digits}`;
}
