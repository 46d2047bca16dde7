// JSON with exact integers, also where JSON.parse does not tell a number's source (Node 20, older browsers).

/** A string, or an integer of 16 or more digits. */
const token = /"(?:[^"\\]|\\.)*"|-?\d{16,}/g;

/** Marks a long integer on its way through JSON.parse. No name holds this character, and none is in a key or cursor. */
const mark = "\u0000";

/** Parses a reply of the service: integers are numbers where those are exact, else bigints. @throws SyntaxError */
export function parseExact(text: string): unknown {
	if (!/\d{16}/.test(text)) return JSON.parse(text);
	const marked = text.replace(token, (found) => (found[0] === '"' ? found : `"\\u0000${found}"`));
	return JSON.parse(marked, (_name, value) =>
		typeof value === "string" && value[0] === mark ? exact(value.slice(1)) : value,
	);
}

function exact(digits: string): number | bigint {
	const number = Number(digits);
	return Number.isSafeInteger(number) ? number : BigInt(digits);
}
