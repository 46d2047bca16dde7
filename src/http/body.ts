// Parses the complete body of a request: UTF-8 JSON, with exact numbers.

import { isUtf8 } from "node:buffer";
import { ApiError } from "../contract/errors.ts";
import { parseJson } from "../contract/json.ts";
import { bodyMaxDepth } from "../contract/operations.ts";

/** @param body null if the request has none @throws ApiError `invalid_json` */
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

/** Whether brackets outside strings are nested too deep. Counts bytes, without parsing the values. */
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

/** Removes V8's excerpt of the body, which may contain a secret that the caller sent by mistake. */
function withoutExcerpt(message: string): string {
	return message.replace(/, (?:\.\.\.)?"[\s\S]*$/, "");
}

function invalidJson(reason: string): ApiError {
	return new ApiError("invalid_json", `the body must be one JSON value in UTF-8: ${reason}`);
}
