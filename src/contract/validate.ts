// Checks values against their schemas, for the service, the commands and the console. One message names all broken
// fields and their rules; a rule is the schema's own `description`.

import { int64FromDecimal, isInt64 } from "./json.ts";
import { isInt64Schema, NewPet, newPetFields } from "./pet.ts";
import type { Static, TObject, TSchema } from "./schema.ts";

export interface Fault {
	/** Undefined when the whole value is broken. */
	field: string | undefined;
	/** With its verb, such as "must be …" or "is required and must be …". */
	problem: string;
	/** About this value alone, so that equal problems can be counted. */
	detail?: string;
}

/** One phrase for each fault. */
export function describeFaults(faults: readonly Fault[]): string {
	const describe = ({ field, problem, detail }: Fault) =>
		(field === undefined ? problem : `${field} ${problem}`) + (detail === undefined ? "" : `: ${detail}`);
	return faults.map(describe).join("; ");
}

/** A value with the valid fields that its schema has, and all its faults. */
export type Checked<Value> = { value: Value; faults?: undefined } | { value: Partial<Value>; faults: Fault[] };

/**
 * The check of a schema's values, which drops unknown fields and converts int64 fields to bigint.
 * @param integerOf for fields that are texts, such as parameters of a query: reads an integer, if it is one
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

/** Returns the value of a field as it is kept; undefined for a broken one. */
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
		// Counts code points only if the number of UTF-16 units does not decide.
		const isPlain = value.length <= maxLength && minLength <= 1;
		const length = isPlain ? value.length : Array.from(value).length;
		return length >= minLength && length <= maxLength && expression.test(value) ? value : undefined;
	};
}

/** Checks an animal whose fields are as `parseJson` returned them. */
export const checkFields = checkOf(NewPet);

const checkTextFields = checkOf(NewPet, integerOfText);
const optionalFields = newPetFields.filter((field) => !NewPet.required.includes(field));

/** Checks an animal whose fields are texts: cells of CSV or entries of a form. An optional field may be empty. */
export function checkTexts(texts: Readonly<Partial<Record<keyof NewPet, string>>>): Checked<NewPet> {
	const given = { ...texts };
	for (const field of optionalFields) if (given[field] === "") delete given[field];
	return checkTextFields(given);
}

/** An integer as a person or a spreadsheet writes it (digitsOf); undefined if it is none of 64 bits. */
export function integerOfText(text: string): bigint | undefined {
	return int64FromDecimal(digitsOf(text));
}

/**
 * An integer as a person or a spreadsheet writes it, in plain decimal digits: without blanks around it, zeros before it
 * and one or two decimals that are zero: three may be thousands. Any other text is returned as it is.
 */
export function digitsOf(text: string): string {
	const [, sign, digits] = /^\s*(-?)0*([1-9]\d*|0)(?:[.,]00?)?\s*$/.exec(text) ?? [];
	if (digits === undefined) return text;
	return digits === "0" ? digits : `${sign}${digits}`;
}
