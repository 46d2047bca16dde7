// What must hold for the replies to any bytes whatsoever.

import assert from "node:assert/strict";
import { type ErrorCode, errorCodes } from "../src/contract/errors.ts";
import { assertFailure } from "./service.ts";
import type { Reply } from "./wire.ts";

/** In the name of every animal that a service has before: no reply without the key may hold it. */
export const canary = "canary-3Zq9";

/** How an exchange over one connection went. */
export interface Exchange {
	sent: Buffer;
	/** In how many pieces. */
	pieces: number;
	received: Buffer;
	isHalfClosed: boolean;
	/** Why it ended without the service closing it in order. */
	problem?: string;
}

/** These are told to callers with a key only. */
const behindKey: ErrorCode[] = [
	"invalid_json",
	"invalid_body",
	"invalid_parameter",
	"invalid_cursor",
	"insufficient_scope",
	"pet_not_found",
	"operation_removed",
	"idempotency_key_reused",
	"rate_limited",
];

/**
 * The replies in what was received. Nobody knows which of mutated bytes were read as HEAD: what starts like the next reply is not
 * taken for a body.
 * @throws AssertionError when it is not a row of complete replies
 */
function splitReplies(bytes: Buffer): Reply[] {
	const replies: Reply[] = [];
	let rest = bytes.toString("latin1");
	while (rest !== "") {
		const [head, status = "", lines = ""] = /^HTTP\/1\.1 (\d{3}) [^\r\n]*\r\n((?:[^\r\n]+\r\n)*)\r\n/.exec(rest) ?? [];
		assert.ok(head, `this is no reply: ${JSON.stringify(rest.slice(0, 200))}`);
		const headers: Record<string, string> = {};
		for (const line of lines.split("\r\n").slice(0, -1)) {
			const [, name = "", value = ""] = /^([\w-]+): ?([\t\x20-\x7e\x80-\xff]*)$/.exec(line) ?? [];
			assert.ok(name, `this is no header: ${JSON.stringify(line)}`);
			headers[name.toLowerCase()] = value;
		}
		rest = rest.slice(head.length);
		const length = bodyLength(Number(status), headers, rest);
		assert.ok(rest.length >= length, `a reply of ${status} ends after ${rest.length} of ${length} bytes`);
		replies.push({ status: Number(status), headers, body: Buffer.from(rest.slice(0, length), "latin1").toString() });
		rest = rest.slice(length);
	}
	return replies;
}

function bodyLength(status: number, headers: Record<string, string>, rest: string): number {
	if (status < 200 || status === 204 || status === 304 || rest === "" || rest.startsWith("HTTP/1.1 ")) return 0;
	if (!("transfer-encoding" in headers)) return Number(headers["content-length"] ?? 0);
	const end = rest.indexOf("\r\n0\r\n\r\n");
	return end < 0 ? Number.POSITIVE_INFINITY : end + 7;
}

/** @throws AssertionError when one of the invariants does not hold */
export function checkExchange({ sent, pieces, received, isHalfClosed, problem }: Exchange, key: string): Reply[] {
	assert.equal(problem, undefined);
	const text = received.toString("latin1");
	const replies = splitReplies(received);
	// As a name, a Host or a request id it is repeated, whatever it is.
	const isOnlyCredential = !sent.toString("latin1").replaceAll(`Bearer ${key}`, "").includes(key);
	assert.ok(!isOnlyCredential || !text.includes(key), "the key is in a reply");
	assert.ok(replies.length > 0 || /^[\r\n]*$/.test(sent.toString("latin1")), "there is no reply");
	const first = replies.find(({ status }) => status >= 200);
	// Before the headers end Node does not tell the method, unless it refuses a piece that shows it: not with a time-out or an early end.
	const isMethodKnown = pieces === 1 && !isHalfClosed && first?.status !== 408;
	const isHead = isMethodKnown && sent.subarray(0, 5).toString("latin1") === "HEAD ";
	assert.ok(!isHead || (first?.body ?? "") === "", `the reply to HEAD has a body: ${first?.body.slice(0, 200)}`);
	for (const reply of replies) checkReply(reply, sent);
	if (!sent.includes(key)) for (const reply of replies) checkWithoutKey(reply, sent);
	return replies;
}

function checkReply(reply: Reply, sent: Buffer): void {
	const { status, headers, body } = reply;
	assert.ok(!("injected" in headers), "the request has written a header of the reply");
	if (status === 308) assert.equal(headers["location"], "../docs", "308 is for /docs/ alone");
	else if (status < 400) assert.ok([100, 200, 201, 204, 302, 304].includes(status), `a reply of ${status}`);
	else if (body === "" && sent.includes("HEAD ")) {
		checkServerFailure(status, undefined);
		assert.equal(headers["content-type"], "application/json", `a reply of ${status} to HEAD is not JSON`);
	} else {
		const { code }: { code: ErrorCode } = parseFailure(body);
		checkServerFailure(status, code);
		assert.ok(errorCodes.includes(code), `the code is ${code}`);
		assertFailure(reply, code);
	}
}

function parseFailure(body: string) {
	try {
		return JSON.parse(body);
	} catch {
		assert.fail(`a failure is not JSON: ${body.slice(0, 200)}`);
	}
}

function checkServerFailure(status: number, code: ErrorCode | undefined): void {
	if (status < 500 || status === 505 || (status === 503 && (code ?? "overloaded") === "overloaded")) return;
	assert.fail(`a reply of ${status} ${code ?? ""}`);
}

function checkWithoutKey({ status, headers, body }: Reply, sent: Buffer): void {
	assert.ok(!body.includes(canary), "an animal is shown without the key");
	assert.ok(!body.startsWith("[") && !body.startsWith('{"id"'), "an animal or a list is shown without the key");
	const told = behindKey.find((code) => body.startsWith(`{"code":"${code}"`));
	assert.ok(!told, `${told} is told without the key`);
	assert.notEqual(status, 201);
	// CONNECT is refused before there is a path; its Allow is always the same.
	const tellsMethods = headers["allow"]?.includes("POST") && !sent.includes("CONNECT ");
	assert.ok(!tellsMethods, "what a path behind the key allows is told without it");
	assert.ok(!headers["link"]?.includes('rel="first"'), "the links of a list are told without the key");
}

interface LogLine {
	level: string;
	requestId?: string;
	keyId?: string;
	"http.route"?: string;
	"http.response.status_code"?: number;
	"error.type"?: string;
}

/** What must not stand in the log, for each line of it that does. */
export function logProblems(lines: string[]): { requestId: string | undefined; text: string }[] {
	return lines.flatMap((text) => {
		const line: LogLine = JSON.parse(text);
		const isServed = line["http.route"]?.startsWith("/v1/") && (line["http.response.status_code"] ?? 0) < 400;
		const isError = ["error", "fatal"].includes(line.level) && line["error.type"] !== "overloaded";
		if (!isError && !(isServed && line.keyId === undefined)) return [];
		return [{ requestId: line.requestId, text: `${isError ? "the log says" : "served without a key:"} ${text}` }];
	});
}
