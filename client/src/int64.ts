// Reads and writes int64 values without rounding, in the type that the caller chose. This does not need the source text
// of numbers, which JSON.parse does not give to its reviver in Node 20 and older browsers.

import { type Int64, type Int64Mode, int64Fields } from "./contract.ts";

/** A JSON string or number. */
const token = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g;
const longInteger = /^-?\d{16,}$/;

/** Marks a long integer for JSON.parse. Names, keys and cursors never contain this character. */
const mark = "\u0000";

/**
 * Parses a reply of the service.
 * @throws SyntaxError; RangeError for an int64 that a number cannot hold, in the mode "number"
 */
export function parseExact(text: string, mode: Int64Mode): unknown {
	const marked = /\d{16}/.test(text)
		? text.replace(token, (found) => (longInteger.test(found) ? `"\\u0000${found}"` : found))
		: text;
	return JSON.parse(marked, (name, value) => {
		const isMarked = typeof value === "string" && value[0] === mark;
		if (!isMarked && typeof value !== "number") return value;
		const digits = isMarked ? value.slice(1) : String(value);
		if (int64Fields.includes(name)) return toType(digits, mode, name);
		if (!isMarked) return value;
		// A long integer in a field that a later version adds becomes a number if the number is exact.
		return Number.isSafeInteger(Number(digits)) ? Number(digits) : digits;
	});
}

/**
 * The decimal digits of an int64 for a request.
 * @throws RangeError if the value is not an integer, not exact, or could not be returned in this mode
 */
export function toDigits(value: Int64, mode: Int64Mode, name: string): string {
	const digits = String(value);
	if (!/^-?\d+$/.test(digits)) throw new RangeError(`${name} must be an integer, not ${JSON.stringify(digits)}`);
	if (typeof value === "number" || mode === "number") toNumber(digits, name);
	return String(BigInt(digits));
}

function toType(digits: string, mode: Int64Mode, name: string): Int64 {
	if (mode === "number") return toNumber(digits, name);
	return mode === "bigint" ? BigInt(digits) : digits;
}

function toNumber(digits: string, name: string): number {
	const number = Number(digits);
	if (Number.isSafeInteger(number)) return number;
	throw new RangeError(`${name} ${digits} is not exact as a number: use a string or a bigint, and int64: "string"`);
}
