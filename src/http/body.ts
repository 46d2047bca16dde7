// The body of a request: UTF-8 JSON, read to its end and then parsed exactly.

import { isUtf8 } from "node:buffer";
import { ApiError } from "../contract/errors.ts";
import { parseJson } from "../contract/json.ts";

/** @throws ApiError `invalid_json` */
export function readJson(body: Buffer): unknown {
	if (body.length === 0) throw invalidJson("it is empty");
	if (!isUtf8(body)) throw invalidJson("it is not valid UTF-8");
	const text = body.toString();
	if (text.charCodeAt(0) === 0xfeff) throw invalidJson("it starts with a byte order mark");
	try {
		return parseJson(text);
	} catch (error) {
		// A RangeError means nesting beyond the stack.
		throw invalidJson(error instanceof SyntaxError ? withoutExcerpt(error.message) : "it is nested too deeply");
	}
}

/** V8 quotes some of the text; what a caller sent by mistake, a key say, is not repeated. */
function withoutExcerpt(message: string): string {
	return message.replace(/, (?:\.\.\.)?"[\s\S]*$/, "");
}

function invalidJson(reason: string): ApiError {
	return new ApiError("invalid_json", `the body must be one JSON value in UTF-8: ${reason}`);
}
