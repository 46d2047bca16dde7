// The body of a request: UTF-8 JSON, read to its end and then parsed exactly.

import { isUtf8 } from "node:buffer";
import { ApiError } from "../contract/errors.ts";
import { parseJson } from "../contract/json.ts";
import { bodyMaxDepth } from "../contract/operations.ts";

/** @param body null where the request has none @throws ApiError `invalid_json` */
export function readJson(body: Buffer | null): unknown {
	if (body === null || body.length === 0) throw invalidJson("it is empty");
	if (!isUtf8(body)) throw invalidJson("it is not valid UTF-8");
	if (isTooDeep(body)) throw invalidJson(`it is nested more than ${bodyMaxDepth} levels deep`);
	const text = body.toString();
	if (text.charCodeAt(0) === 0xfeff) throw invalidJson("it starts with a byte order mark");
	try {
		return parseJson(text);
	} catch (error) {
		if (!(error instanceof SyntaxError)) throw error;
		throw invalidJson(withoutExcerpt(error.message));
	}
}

/**
 * Whether brackets are open beyond the limit anywhere outside strings. Counted on the text, so that what is inside does
 * not matter.
 */
function isTooDeep(body: Buffer): boolean {
	if (body.length <= bodyMaxDepth) return false;
	let depth = 0;
	let isInString = false;
	for (let index = 0; index < body.length; index++) {
		const byte = body[index];
		if (isInString) {
			if (byte === 0x5c) index++;
			else if (byte === 0x22) isInString = false;
		} else if (byte === 0x22) isInString = true;
		else if (byte === 0x5b || byte === 0x7b) {
			if (++depth > bodyMaxDepth) return true;
		} else if (byte === 0x5d || byte === 0x7d) depth--;
	}
	return false;
}

/** V8 quotes some of the text; what a caller sent by mistake, a key say, is not repeated. */
function withoutExcerpt(message: string): string {
	return message.replace(/, (?:\.\.\.)?"[\s\S]*$/, "");
}

function invalidJson(reason: string): ApiError {
	return new ApiError("invalid_json", `the body must be one JSON value in UTF-8: ${reason}`);
}
