// The attempts of a call: which failures are retried, when and for how long, and whether the outcome stays unknown.

import assert from "node:assert/strict";
import { test } from "node:test";
import { ApiError, NoReply, type Retry } from "../../client/src/index.ts";
import { answered, failureOf, refusal, rex, unhurried } from "./fake-fetch.ts";

const broken = () => Object.assign(new TypeError("fetch failed"), { cause: { code: "ECONNRESET", message: "read" } });
const refusedWith = (status: number, code: string) => refusal(status, {}, { code, message: "m" });

test("a create's result is unknown after a 5xx but overloaded, and a reply of another server", async () => {
	for (const [status, code, isUnsettled] of [
		[499, "invalid_body", false],
		[500, "internal_error", true],
		[501, "added_later", true],
		[503, "storage_unavailable", true],
		[503, "overloaded", false],
		[429, "rate_limited", false],
	] as const) {
		const error = await failureOf(answered([refusedWith(status, code)], { maxRetries: 0 }).store.createPet(rex));
		assert.ok(error instanceof ApiError && error.isUnsettled === isUnsettled, code);
	}
	for (const body of [{ code: "overloaded" }, { message: "m" }, {}]) {
		const error = await failureOf(answered([refusal(418, {}, body)]).store.createPet(rex));
		assert.ok(error instanceof ApiError && error.code === "unexpected_reply" && error.isUnsettled);
	}
});

test("only a Retry-After in seconds is used, and never beyond the budget", async () => {
	for (const [field, seconds] of [
		["7", 7],
		["0", 0],
		["Fri, 01 Jan 2027 00:00:00 GMT", undefined],
		["1.5", undefined],
		["x7", undefined],
		["7x", undefined],
	] as const) {
		const error = await failureOf(answered([refusal(400, { "retry-after": field })]).store.listPage());
		assert.ok(error instanceof ApiError);
		assert.equal(error.retryAfterSeconds, seconds, field);
	}
	const { attempts, store } = answered([refusal(503, { "retry-after": "60" })]);
	await failureOf(store.listPage());
	assert.equal(attempts.length, 1, "a Retry-After of 60 s exceeds the 30 s of a call");
});

test("the pauses between attempts double up to 8 s, with up to half random jitter", async (context) => {
	const most = [200, 400, 800, 1600, 3200, 6400, 8000, 8000];
	const waits = unhurried(context);
	for (const random of [0, 1]) {
		context.mock.method(Math, "random", () => random);
		await answered([...most.map(() => refusal(503)), new Response("[]")]).store.listPage();
		const expected = most.map((ms) => (random === 1 ? ms : ms / 2));
		assert.deepEqual(waits.splice(0), expected);
	}
	const patient = answered([refusal(503, { "retry-after": "9999999" }), new Response("[]")], { retryForMs: Infinity });
	await patient.store.listPage();
	assert.deepEqual(waits, [2 ** 31 - 1], "the longest timer: a longer one would fire at once");
});

test("429, 502, 503 and 504 are retried; all other errors, even 500, are reported at once", async (context) => {
	unhurried(context);
	for (const status of [429, 502, 503, 504]) {
		const { store, attempts } = answered([refusal(status), new Response("[]")]);
		assert.deepEqual(await store.listPage(), { pets: [] }, String(status));
		assert.equal(attempts.length, 2);
	}
	for (const status of [400, 401, 403, 404, 408, 500, 501, 505]) {
		const { store, attempts } = answered([refusal(status)]);
		const error = await failureOf(store.createPet(rex));
		assert.ok(error instanceof ApiError && error.status === status);
		assert.equal(attempts.length, 1);
	}
});

test("a refusal of the request itself settles a create, even after an unknown outcome", async (context) => {
	unhurried(context);
	for (const [status, code, isUnsettled] of [
		[400, "invalid_body", false],
		[400, "added_later", true],
		[401, "invalid_credential", true],
	] as const) {
		for (const before of [broken(), refusedWith(503, "storage_unavailable")]) {
			const { store, attempts } = answered([before, refusedWith(status, code)]);
			const error = await failureOf(store.createPet(rex));
			assert.deepEqual([error.isUnsettled, attempts.length], [isUnsettled, 2], code);
		}
		const { store } = answered([refusedWith(503, "overloaded"), refusedWith(status, code)]);
		assert.equal((await failureOf(store.createPet(rex))).isUnsettled, false, `${code} after overloaded`);
	}
});

test("a client that never got a reply gives up within half a second if there is no connection", async (context) => {
	const waits = unhurried(context);
	context.mock.method(performance, "now", () => waits.reduce((sum, ms) => sum + ms, 0));
	const unreachable = [
		{ code: "ECONNREFUSED" },
		{ code: "ECONNRESET", message: "Client network socket disconnected before secure TLS connection was established" },
		{ message: "unexpected redirect" },
	].map((cause) => Object.assign(new TypeError("fetch failed"), { cause }));
	for (const error of [...unreachable, new TypeError("Failed to fetch")]) {
		waits.length = 0;
		const { store, attempts } = answered([error], { retryForMs: 60_000 });
		const failure = await failureOf(store.createPet(rex));
		assert.ok(failure instanceof NoReply && failure.reason === "unreachable", failure.message);
		assert.ok(failure.message.startsWith("no reply from http://a.example/v1: the connection failed ("));
		assert.deepEqual([failure.name, failure.cause], ["NoReply", error]);
		assert.ok(attempts.length >= 2 && attempts.length <= 3, `${attempts.length} attempts`);
		assert.ok(waits.reduce((sum, ms) => sum + ms, 0) <= 500);
	}
	waits.length = 0;
	const started = answered([new TypeError("Failed to fetch")], { beforeRequest: () => void waits.push(600) });
	await failureOf(started.store.listPage());
	assert.equal(started.attempts.length, 1, "a slow failure is not repeated");
});

test("broken connections, time-outs and addresses that replied are retried for the budget", async (context) => {
	const waits = unhurried(context);
	context.mock.method(performance, "now", () => waits.reduce((sum, ms) => sum + ms, 0));
	const lost = [
		...["ECONNRESET", "EPIPE", "ECONNABORTED", "UND_ERR_SOCKET"].map((code) => ({ cause: { code } })),
		{ code: "ECONNRESET" },
		{ cause: { message: "client error (SendRequest): connection closed before message completed" } },
		{ cause: { message: "Connection reset by peer (os error 104)" } },
	].map((fields) => Object.assign(new TypeError("fetch failed"), fields));
	for (const error of lost) {
		const failure = await failureOf(answered([error]).store.listPage());
		assert.ok(failure instanceof NoReply && failure.reason === "lost", failure.message);
		assert.match(failure.message, /the connection was lost \(/);
		assert.ok(waits.splice(0).length >= 5, "30 seconds of pauses that grow up to 8 s");
	}
	const { store } = answered([new Response("[]"), new TypeError("Failed to fetch")]);
	await store.listPage();
	await failureOf(store.listPage());
	assert.ok(waits.length >= 5);
});

const unanswered: typeof fetch = (_url, request) =>
	new Promise((_resolve, reject) => request?.signal?.addEventListener("abort", () => reject(request.signal?.reason)));

test("an abort ends a call at once, in an attempt, between two, and in onRetry", async (context) => {
	const reason = new Error("the user left");
	for (const send of [unanswered, async () => refusal(503, { "retry-after": "20" })]) {
		const leaving = new AbortController();
		const { store } = answered([], { fetch: send, timeoutMs: 60_000 });
		const call = store.listPage({}, { signal: leaving.signal });
		setTimeout(() => leaving.abort(reason), 50);
		assert.equal(await call.catch((error) => error), reason);
	}
	const waits = unhurried(context);
	const leaving = new AbortController();
	const { store, attempts } = answered([refusal(503)], { onRetry: () => leaving.abort(reason) });
	assert.equal(await store.listPage({}, { signal: leaving.signal }).catch((error) => error), reason);
	assert.deepEqual([attempts.length, waits], [1, []]);
});

test("maxRetries limits the attempts; options of a call override those of the client", async (context) => {
	unhurried(context);
	for (const [client, call, expected] of [
		[{ maxRetries: 2 }, {}, 3],
		[{ maxRetries: 0 }, {}, 1],
		[{ maxRetries: 2 }, { maxRetries: 4 }, 5],
		[{ maxRetries: 2 }, { maxRetries: undefined }, 3],
		[{}, { maxRetries: 1 }, 2],
		[{ retryForMs: 0 }, {}, 1],
		[{}, { retryForMs: 0 }, 1],
		[{ retryForMs: 0 }, { retryForMs: 60_000, maxRetries: 1 }, 2],
	] as const) {
		const { store, attempts } = answered([refusedWith(503, "overloaded")], client);
		await failureOf(store.listPage({}, call));
		assert.equal(attempts.length, expected, JSON.stringify([client, call]));
	}
	for (const [client, call, expected] of [
		[{ timeoutMs: 7 }, {}, 7],
		[{ timeoutMs: 7 }, { timeoutMs: 8 }, 8],
		[{}, { timeoutMs: 9 }, 9],
	] as const) {
		const { store } = answered([], { maxRetries: 0, fetch: unanswered, ...client });
		const late = await failureOf(store.listPage({}, call));
		assert.ok(late instanceof NoReply && late.reason === "timeout");
		assert.equal(late.message, `no reply from http://a.example/v1: time-out after ${expected} ms`);
	}
});

test("onRetry gets each failed attempt that is repeated, and the wait before the next one", async (context) => {
	const waits = unhurried(context);
	const retries: Retry[] = [];
	const replies = [broken(), refusal(503, { "retry-after": "2" }), new Response("[]")];
	await answered(replies, { onRetry: (retry) => void retries.push(retry) }).store.listPage();
	const reported = retries.map(({ attempt, error }) => `${attempt} ${error.name}`);
	assert.deepEqual(reported, ["1 NoReply", "2 ApiError"]);
	const waited = retries.map(({ waitMs }) => waitMs);
	assert.deepEqual(waited, waits);
	assert.ok(Number(waits[1]) >= 2000, "after Retry-After");
	retries.length = 0;
	await failureOf(answered([refusal(400)], { onRetry: (retry) => void retries.push(retry) }).store.listPage());
	assert.deepEqual(retries, []);
});
