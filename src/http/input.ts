// Reads the query and the body of a request. A body is UTF-8 JSON, with exact numbers.

import { isUtf8 } from "node:buffer";
import type { IncomingMessage } from "node:http";
import { parse } from "node:querystring";
import { ApiError } from "../contract/errors.ts";
import { int64FromDecimal, parseJson } from "../contract/json.ts";
import { bodyMaxBytes, bodyMaxDepth } from "../contract/limits.ts";
import type { Static, TObject } from "../contract/schema.ts";
import { type Checked, checkOf, describeFaults } from "../contract/validate.ts";
import type { Exchange } from "./exchange.ts";

/** If more time than this passes between the headers and the end of the body, the key is checked again. */
const slowBodyMs = 100;

/**
 * Returns a function that reads a query: no parameter may be empty or given twice, and integers are plain digits.
 * @throws ApiError `unknown_parameter` or `invalid_parameter`, naming every broken parameter
 */
export function createQueryReader<S extends TObject>(schema: S): (text: string) => Static<S> {
	const check = checkOf(schema, int64FromDecimal);
	const names = Object.keys(schema.properties);
	return (text) => {
		const query = parse(text, "&", "=", { maxKeys: 0 });
		const unknown = Object.keys(query).filter((name) => !names.includes(name));
		if (unknown.length > 0) throw new ApiError("unknown_parameter", unknown, names);
		const checked = check(query);
		if (checked.faults) throw new ApiError("invalid_parameter", describeFaults(checked.faults));
		return checked.value;
	};
}

/** @param path where the value is in the body, for the message @throws ApiError `invalid_body` */
export function validOf<Value>(checked: Checked<Value>, path = ""): Value {
	if (checked.faults) throw new ApiError("invalid_body", path + describeFaults(checked.faults));
	return checked.value;
}

/** Reads the body's list called `name`. @param rule such as `1 to 50 edits` @throws as readJson, and `invalid_body` */
export async function readList(exchange: Exchange, name: string, rule: string, max: number) {
	return listIn(await readJson(exchange), name, rule, max);
}

/** The body's list called `name`. @throws ApiError `invalid_body` */
export function listIn(body: unknown, name: string, rule: string, max: number) {
	const list: unknown = Object(body)[name];
	if (Array.isArray(list) && list.length > 0 && list.length <= max) return list;
	throw new ApiError("invalid_body", `${name} is required and must be a list of ${rule}`);
}

function readBody(request: IncomingMessage): Promise<Buffer> {
	return new Promise((resolve, reject) => {
		// A request without a body emits no events, because of `optimizeEmptyRequests` (listen.ts).
		if (request.readableEnded) return resolve(Buffer.alloc(0));
		const chunks: Buffer[] = [];
		let bytes = 0;
		request.on("data", (chunk: Buffer) => {
			bytes += chunk.length;
			if (bytes <= bodyMaxBytes) chunks.push(chunk);
			else reject(new ApiError("body_too_large"));
		});
		request.on("end", () => resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)));
		const cut = "the connection ended before the whole body arrived";
		request.on("error", () => reject(new ApiError("malformed_request", cut)));
	});
}

/** @throws ApiError `body_too_large`, `malformed_request`, `invalid_json`; `invalid_credential` after a slow body */
export async function readJson(exchange: Exchange): Promise<unknown> {
	const body = await readBody(exchange.request);
	if (performance.now() - exchange.startedAtMs > slowBodyMs) await exchange.checkAgain();
	if (body.length === 0) throw new ApiError("invalid_json", "it is empty");
	if (!isUtf8(body)) throw new ApiError("invalid_json", "it is not valid UTF-8");
	if (isTooDeep(body)) throw new ApiError("invalid_json", `it is nested more than ${bodyMaxDepth} levels deep`);
	const text = body.toString();
	if (text.charCodeAt(0) === 0xfeff) throw new ApiError("invalid_json", "it starts with a byte order mark");
	try {
		return parseJson(text);
	} catch (error) {
		if (!(error instanceof SyntaxError)) throw error;
		// Without V8's excerpt of the body, which may contain a secret that the caller sent by mistake.
		throw new ApiError("invalid_json", error.message.replace(/, (?:\.\.\.)?"[\s\S]*$/, ""));
	}
}

/** Whether brackets outside strings are nested too deep. Counts bytes, without parsing the values. */
function isTooDeep(body: Buffer): boolean {
	let depth = 0;
	let isInString = false;
	for (let index = 0; index < body.length && depth <= bodyMaxDepth; index++) {
		const byte = body[index];
		if (byte === 0x22) isInString = !isInString;
		else if (isInString && byte === 0x5c) index++;
		else if (!isInString && (byte === 0x5b || byte === 0x7b)) depth++;
		else if (!isInString && (byte === 0x5d || byte === 0x7d)) depth--;
	}
	return depth > bodyMaxDepth;
}
