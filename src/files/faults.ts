// What is wrong with an animal, in words that name the broken part, such as "name contains a line break". The rules are
// those of the contract's schema; the service checks again. Without Ajv, whose code a browser's policy forbids.

import { int64FromDecimal, isInt64 } from "../contract/int64.ts";
import { int64Rule, isInt64Schema, NewPet, newPetFields } from "../contract/pet.ts";
import type { TSchema } from "../contract/schema.ts";

export interface Fault {
	/** The field that is broken; undefined when it is the whole row. */
	field: keyof NewPet | undefined;
	/** Without values of the row, so that equal faults can be counted: "contains a line break". */
	problem: string;
	/** About this row alone. */
	detail?: string;
}

/** One sentence for all faults of a row. */
export function describeFaults(faults: readonly Fault[]): string {
	const describe = ({ field, problem, detail }: Fault) =>
		(field ? `${field} ${problem}` : problem) + (detail === undefined ? "" : `: ${detail}`);
	return faults.map(describe).join("; ");
}

const required: readonly string[] = NewPet.required;

/** Checks the values of an animal's fields. @returns the animal with its categoryId as bigint, or all faults */
export function checkPet(given: Record<string, unknown>): { pet: NewPet } | { faults: Fault[] } {
	const pet: Record<string, unknown> = {};
	const faults: Fault[] = [];
	for (const field of newPetFields) {
		const value = given[field];
		if (value === undefined && !required.includes(field)) continue;
		const schema: TSchema = NewPet.properties[field];
		const problem = value === undefined ? "is missing" : problemOf(schema, value);
		if (problem !== undefined) faults.push({ field, problem });
		else pet[field] = isInt64Schema(schema) ? BigInt(value as number | bigint) : value;
	}
	return faults.length > 0 ? { faults } : { pet: pet as unknown as NewPet };
}

/** The value of a cell of CSV. An empty cell of an optional field means that the field is absent. */
export function valueOfCell(field: keyof NewPet, cell: string): unknown {
	if (cell === "" && !required.includes(field)) return undefined;
	return isInt64Schema(NewPet.properties[field]) ? (int64FromDecimal(cell) ?? cell) : cell;
}

function problemOf(schema: TSchema, value: unknown): string | undefined {
	if (value === "") return "is empty";
	if (isInt64Schema(schema)) return integerProblem(value);
	const { enum: choices } = schema;
	if (choices) return choices.includes(value) ? undefined : `is none of ${choices.join(", ")}`;
	return typeof value === "string" ? textProblem(schema, value) : "is not text";
}

function integerProblem(value: unknown): string | undefined {
	if (isInt64(value)) return undefined;
	const isInteger = typeof value === "string" ? /^-?[1-9]\d+$/.test(value) : Number.isInteger(value);
	if (isInteger) return `is out of range: ${int64Rule}`;
	const isAlmost = typeof value === "string" && /^\s*[+-]?\d+\s*$/.test(value);
	return isAlmost ? "must be plain digits, without quotes, blanks or leading zeros" : "is not an integer";
}

const unwanted: [part: RegExp, words: string][] = [
	[/[\r\n]/, "a line break"],
	[/\t/, "a tab"],
	[/\p{Cs}/u, "half of a character"],
	[/\p{Cc}/u, "a control character"],
];

function textProblem(schema: TSchema, text: string): string | undefined {
	const { maxLength = Number.POSITIVE_INFINITY, pattern, description } = schema;
	if (text.length > maxLength && Array.from(text).length > maxLength) return `is longer than ${maxLength} characters`;
	if (pattern === undefined || expression(pattern).test(text)) return undefined;
	if (/^\p{White_Space}*$/u.test(text)) return "has only blanks";
	const part = unwanted.find(([found]) => found.test(text));
	return part ? `contains ${part[1]}` : `must be ${description}`;
}

const expressions = new Map<string, RegExp>();

function expression(pattern: string): RegExp {
	const compiled = expressions.get(pattern) ?? new RegExp(pattern, "u");
	expressions.set(pattern, compiled);
	return compiled;
}
