// Exact int64, and JSON without rounding. JavaScript numbers round integers beyond 2^53, so larger integers become
// bigint, even if they are written as `1e18` (RFC 8259 §6).

export const int64Min = -(2n ** 63n);
export const int64Max = 2n ** 63n - 1n;

/** Whether a parsed JSON value (see `parseJson`) is an integer from −2^63 to 2^63−1. */
export function isInt64(value: unknown): value is number | bigint {
	if (typeof value === "bigint") return value >= int64Min && value <= int64Max;
	return Number.isSafeInteger(value);
}

/** Reads an int64 in canonical decimal form: no `+`, no leading zero, no `-0`. Undefined for any other text. */
export function int64FromDecimal(text: string): bigint | undefined {
	if (text.length > 20 || !/^(?:0|-?[1-9][0-9]*)$/.test(text)) return undefined;
	const value = BigInt(text);
	return isInt64(value) ? value : undefined;
}

/** Matches a number that a double may round: 16 or more digits, or an exponent. A match in a string does no harm. */
const mayRound = /(?:^|[:,[])\s*-?(?:[\d.]{16}|[\d.]*\d[eE])/;

/**
 * Parses JSON exactly: a safe integer (also `1.0` and `1e3`) becomes a number, any other int64 becomes a bigint, and a
 * fraction that a double would round to an integer becomes NaN. @throws SyntaxError if the text is not one JSON value
 */
export function parseJson(text: string): unknown {
	return mayRound.test(text) ? JSON.parse(text, exactNumber as Reviver) : JSON.parse(text);
}

/** Parses JSON, or says why the text is not one JSON value. */
export function tryParseJson(text: string): { value?: unknown; error?: string } {
	try {
		return { value: parseJson(text) };
	} catch (error) {
		return { error: (error as SyntaxError).message };
	}
}

declare global {
	/** TypeScript does not declare `rawJSON` yet. */
	interface JSON {
		rawJSON(text: string): unknown;
	}
}

/** Writes JSON with exact numbers: JSON.stringify does not know bigint. */
export function toJson(value: unknown, indent?: number): string {
	return JSON.stringify(value, writtenExactly, indent);
}

function writtenExactly(_name: string, value: unknown): unknown {
	if (typeof value !== "bigint") return value;
	const number = Number(value);
	return Number.isSafeInteger(number) ? number : JSON.rawJSON(String(value));
}

type Reviver = (this: unknown, key: string, value: unknown) => unknown;

function exactNumber(_key: string, value: unknown, context: { source: string }): unknown {
	if (typeof value !== "number") return value;
	const exact = integerFromSource(context.source);
	if (exact === "fraction") return Number.isInteger(value) ? Number.NaN : value;
	if (Number.isSafeInteger(value)) return value;
	return isInt64(exact) ? exact : value;
}

/** The exact value of a JSON number. `huge`: over 19 digits, perhaps millions, so no BigInt is built for it. */
function integerFromSource(source: string): bigint | "fraction" | "huge" {
	const parts = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(source);
	if (!parts) throw new SyntaxError("not a JSON number");
	const [, sign = "", whole = "", fraction = "", exponent = "0"] = parts;
	const digits = whole + fraction;
	let start = 0;
	while (digits[start] === "0") start++;
	if (start === digits.length) return 0n;
	let end = digits.length;
	while (digits[end - 1] === "0") end--;
	const zeros = Number(exponent) - fraction.length + (digits.length - end);
	if (zeros < 0) return "fraction";
	if (end - start + zeros > 19) return "huge";
	return BigInt(sign + digits.slice(start, end) + "0".repeat(zeros));
}
