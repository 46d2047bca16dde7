// Exact int64. Every identifier of the interface document is an int64; a JavaScript number rounds beyond 2^53.

export const int64Min = -(2n ** 63n);
export const int64Max = 2n ** 63n - 1n;

/** Whether a parsed JSON value (see `parseJson`) is an integer from −2^63 to 2^63−1. */
export function isInt64(value: unknown): value is number | bigint {
	if (typeof value === "bigint") return value >= int64Min && value <= int64Max;
	return Number.isSafeInteger(value);
}

/**
 * Reads the plain decimal form of an int64: no `+`, no leading zero, no `-0`. Each value has exactly one spelling.
 * @returns undefined for any other text
 */
export function int64FromDecimal(text: string): bigint | undefined {
	if (text.length > 20 || !/^(?:0|-?[1-9][0-9]*)$/.test(text)) return undefined;
	const value = BigInt(text);
	return isInt64(value) ? value : undefined;
}
