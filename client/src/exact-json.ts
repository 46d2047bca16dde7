// Parses JSON with exact integers, also where JSON.parse does not pass a number's source (Node 20, older browsers).

/** A string, or a number. */
const token = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g;
const longInteger = /^-?\d{16,}$/;

/** Marks a long integer for JSON.parse. Names, keys and cursors never contain this character. */
const mark = "\u0000";

/** Parses a reply of the service. An integer is a number if that is exact, else a bigint. @throws SyntaxError */
export function parseExact(text: string): unknown {
	if (!/\d{16}/.test(text)) return JSON.parse(text);
	const marked = text.replace(token, (found) => (longInteger.test(found) ? `"\\u0000${found}"` : found));
	return JSON.parse(marked, (_name, value) =>
		typeof value === "string" && value[0] === mark ? toExact(value.slice(1)) : value,
	);
}

function toExact(digits: string): number | bigint {
	const number = Number(digits);
	return Number.isSafeInteger(number) ? number : BigInt(digits);
}
