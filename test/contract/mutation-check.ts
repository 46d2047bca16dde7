// Invariants of the replies to arbitrary bytes, and of the log.

import assert from "node:assert/strict";
import { type ErrorCode, errorCodes } from "../../src/contract/errors.ts";
import { assertFailure } from "../support/service.ts";
import type { Reply } from "../support/wire.ts";

/** A part of every animal's name. No reply to a request without the key may contain it. */
export const canary = "canary-3Zq9";

/** What was sent and received over one connection. */
export interface Exchange {
	sent: Buffer;
	received: Buffer;
	/** Why the connection did not end with an orderly close by the service. */
	problem?: string;
}

/** Failures that only callers with a key may get. */
const behindKey: ErrorCode[] = [
	...(["invalid_json", "invalid_body", "invalid_parameter", "invalid_cursor", "insufficient_scope"] as const),
	...(["pet_not_found", "operation_removed", "idempotency_key_reused", "rate_limited"] as const),
];

/**
 * Splits the received bytes into replies. The service may have read mutated bytes as HEAD. So bytes that look like the
 * start of a reply do not count as a body.
 * @throws AssertionError if the bytes are not a sequence of complete replies
 */
function splitReplies(bytes: Buffer): Reply[] {
	const replies: Reply[] = [];
	let rest = bytes.toString("latin1");
	while (rest !== "") {
		const [head, status, lines = ""] =
			/^HTTP\/1\.1 (\d{3}) [^\r\n]*\r\n((?:[\w-]+: [^\r\n]*\r\n)*)\r\n/.exec(rest) ?? [];
		assert.ok(head, `not a reply: ${JSON.stringify(rest.slice(0, 200))}`);
		const fields = lines.split("\r\n").map((line) => [line.split(":")[0]?.toLowerCase(), line.replace(/^[^:]*: /, "")]);
		const headers: Record<string, string> = Object.fromEntries(fields);
		assert.ok(!("injected" in headers), "the request wrote a header into the reply");
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

/** @throws AssertionError if an invariant is broken */
export function checkExchange({ sent, received, problem }: Exchange, key: string): void {
	assert.equal(problem, undefined);
	const request = sent.toString("latin1");
	const replies = splitReplies(received);
	assert.ok(replies.length > 0 || /^[\r\n]*$/.test(request), "there is no reply");
	// If the request has the key elsewhere, such as in a name, a Host or a request id, a reply may repeat it.
	const isOnlyCredential = !request.replaceAll(`Bearer ${key}`, "").includes(key);
	assert.ok(!isOnlyCredential || !received.includes(key), "the key is in a reply");
	for (const reply of replies) {
		checkReply(reply, request.includes("HEAD "));
		if (!request.includes(key)) checkWithoutKey(reply, /OPTIONS +\* /.test(request));
	}
}

function checkReply(reply: Reply, mayBeHead: boolean): void {
	const { status, body } = reply;
	const expected = status < 400 ? [100, 200, 201, 204, 302, 304, 308] : [status < 500 ? status : 503, 505];
	assert.ok(expected.includes(status), `a reply of ${status}`);
	if (status < 400 || (body === "" && mayBeHead)) return;
	const code = errorCodes.find((code) => body.startsWith(`{"code":"${code}"`));
	assert.ok(code, `a failure without a known code: ${body.slice(0, 200)}`);
	assert.ok(status !== 503 || code === "overloaded", `a reply of 503 ${code}`);
	assertFailure(reply, code);
}

/** @param mayShowMethods whether a request asks for the methods of the whole server (`OPTIONS *`) */
function checkWithoutKey({ status, headers, body }: Reply, mayShowMethods: boolean): void {
	assert.ok(!body.includes(canary), "an animal is shown without the key");
	assert.ok(!body.startsWith("[") && !body.startsWith('{"id"'), "an animal or a list is shown without the key");
	assert.notEqual(status, 201);
	const revealed = behindKey.find((code) => body.startsWith(`{"code":"${code}"`));
	assert.ok(!revealed, `${revealed} is revealed without the key`);
	// CONNECT has no path: the reply that refuses it lists the methods of the whole server.
	const isServers = (mayShowMethods && status === 204) || body.includes("CONNECT is not supported");
	const showsMethods = headers["allow"]?.includes("POST") && !isServers;
	assert.ok(!showsMethods, "the methods of a path are revealed without the key");
	assert.ok(!headers["link"]?.includes('rel="first"'), "the links of a list are revealed without the key");
}

/** Finds lines that must not be in the log: errors, and requests that were served without a key. */
export function logProblems(lines: string[]): { requestId: string | undefined; problem: string }[] {
	return lines.flatMap((text) => {
		const line = JSON.parse(text);
		const isServed = line["http.route"]?.startsWith("/v1/") && line["http.response.status_code"] < 400;
		const isError = ["error", "fatal"].includes(line.level) && line["error.type"] !== "overloaded";
		if (!isError && !(isServed && line.keyId === undefined)) return [];
		return [
			{ requestId: line.requestId, problem: `${isError ? "an error in the log:" : "served without a key:"} ${text}` },
		];
	});
}
