// The requests of the client and its handling of replies, with a fake `fetch`, without a server and without waits.

import assert from "node:assert/strict";
import { getEventListeners } from "node:events";
import { type TestContext, test } from "node:test";
import {
	AnimalStore,
	ApiError,
	type ClientOptions,
	type Int64Mode,
	NoReply,
	type Retry,
} from "../../client/src/index.ts";

const rex = { name: "Rex", categoryId: 1 };

interface Attempt {
	url: string;
	headers: Headers;
	request: RequestInit;
}

/** A client that gets these replies in turn, and then the last one every time. */
function answered(replies: (Response | Error)[], options: ClientOptions<Int64Mode> = {}) {
	const attempts: Attempt[] = [];
	const send: typeof fetch = async (url, request = {}) => {
		attempts.push({ url: String(url), headers: new Headers(request.headers), request });
		// Ends a client that would retry without end.
		if (attempts.length > 20) return refusal(400);
		const reply = replies.length > 1 ? replies.shift() : replies[0];
		if (!(reply instanceof Response)) throw reply;
		return reply.clone();
	};
	return { attempts, store: new AnimalStore({ url: "http://a.example", key: "k", fetch: send, ...options }) };
}

function refusal(
	status: number,
	headers: Record<string, string> = {},
	body: object = { code: "overloaded", message: "m" },
) {
	return new Response(JSON.stringify(body), { status, headers });
}

async function failureOf(call: Promise<unknown>): Promise<ApiError | NoReply> {
	const error: unknown = await call.catch((error) => error);
	assert.ok(error instanceof ApiError || error instanceof NoReply, String(error));
	return error;
}

test("a create's result is unknown after a 5xx but overloaded, and a reply of another server", async () => {
	for (const [status, code, isUnsettled] of [
		[499, "invalid_body", false],
		[500, "internal_error", true],
		[501, "added_later", true],
		[503, "storage_unavailable", true],
		[503, "overloaded", false],
		[429, "rate_limited", false],
	] as const) {
		const once = answered([refusal(status, {}, { code, message: "m" })], { maxRetries: 0 });
		const error = await failureOf(once.store.createPet(rex));
		assert.ok(error instanceof ApiError && error.isUnsettled === isUnsettled, code);
	}
	for (const body of [{ code: "overloaded" }, { message: "m" }, {}]) {
		const error = await failureOf(answered([refusal(418, {}, body)]).store.createPet(rex));
		assert.ok(error instanceof ApiError && error.code === "unexpected_reply" && error.isUnsettled);
	}
});

test("every error of a create has its Idempotency-Key, which all attempts used", async () => {
	for (const replies of [[refusal(400)], [new TypeError("cut"), refusal(400)]]) {
		const { attempts, store } = answered(replies);
		const { idempotencyKey } = await failureOf(store.createPet(rex));
		const sent = attempts.map(({ headers }) => headers.get("idempotency-key"));
		assert.deepEqual(new Set(sent), new Set([idempotencyKey]));
	}
	const { attempts, store } = answered([new Response("{}")]);
	for (const key of [undefined, undefined, "mine"]) await store.createPet(rex, key ? { idempotencyKey: key } : {});
	const keys = attempts.map(({ headers }) => headers.get("idempotency-key") ?? "");
	assert.match(keys[0] ?? "", /^[0-9a-f]{32}$/);
	assert.match(keys[1] ?? "", /^[0-9a-f]{32}$/);
	assert.notEqual(keys[0], keys[1]);
	assert.equal(keys[2], "mine");
});

test("generated Idempotency-Keys have 32 digits, even if a random byte is small", async (context) => {
	context.mock.method(crypto, "getRandomValues", (bytes: Uint8Array) => bytes.fill(7));
	const { attempts, store } = answered([new Response("{}")]);
	await store.createPet(rex);
	assert.equal(attempts[0]?.headers.get("idempotency-key"), "07".repeat(16));
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
	assert.equal(attempts.length, 1, "60 seconds exceed the 30 of a call");
});

test("a request has the key as a bearer token and a JSON body without an absent status", async () => {
	const { attempts, store } = answered([new Response("{}")]);
	await store.createPet({ name: 'a "b"', categoryId: 9007199254740993n });
	await store.createPet({ ...rex, status: "sold" });
	await store.getPet(-(2n ** 63n));
	const [plain, sold, get] = attempts;
	assert.equal(plain?.url, "http://a.example/v1/pets");
	assert.equal(plain?.request.method, "POST");
	assert.equal(plain?.request.body, '{"name":"a \\"b\\"","categoryId":9007199254740993}');
	assert.equal(plain?.headers.get("content-type"), "application/json");
	assert.equal(plain?.headers.get("authorization"), "Bearer k");
	assert.equal(sold?.request.body, '{"name":"Rex","categoryId":1,"status":"sold"}');
	assert.equal(get?.url, "http://a.example/v1/pets/-9223372036854775808");
	assert.equal(get?.headers.get("authorization"), "Bearer k");
	for (const { request } of attempts)
		assert.equal(request.redirect, "error", "the key is not sent to a redirect target");
});

test("a list requests pages of 100 by default, and follows only the next link", async () => {
	const links = '<http://b.example/v1/pets?cursor=f>; rel="first", <http://b.example/v1/pets?cursor=n%20x>; rel="next"';
	const { attempts, store } = answered([new Response("[]", { headers: { link: links } }), new Response("[]")]);
	const pages = await Array.fromAsync(store.listPets({ status: "sold" }).pages());
	assert.deepEqual(pages, [{ pets: [], next: "n x" }, { pets: [] }]);
	assert.deepEqual(
		attempts.map(({ url }) => url),
		["http://a.example/v1/pets?limit=100&status=sold", "http://a.example/v1/pets?limit=100&status=sold&cursor=n+x"],
	);
	const first = answered([new Response("[]", { headers: { link: '<http://b.example/?cursor=f>; rel="first"' } })]);
	assert.deepEqual(await first.store.listPage({ limit: 7 }), { pets: [] });
	assert.equal(first.attempts[0]?.url, "http://a.example/v1/pets?limit=7");
});

test("a mistyped filter is sent, for the service to refuse: no list is longer than meant", async () => {
	const { attempts, store } = answered([refusal(400, {}, { code: "unknown_parameter", message: "m" })]);
	const mistyped: object = { staus: "sold", status: undefined };
	assert.equal((await failureOf(store.listPets(mistyped).first())).message, "m");
	assert.equal(attempts[0]?.url, "http://a.example/v1/pets?limit=1&staus=sold");
});

test("a list read from its last page follows only the prev links, also from a cursor", async () => {
	const linked = (...rels: string[]) => {
		const links = rels.map((rel) => `<http://b.example/v1/pets?cursor=${rel}-cursor>; rel="${rel}"`);
		return new Response("[]", { headers: { link: links.join(", ") } });
	};
	const read = async (cursor?: string) => {
		const start = cursor === undefined ? [linked("first", "next", "last")] : [];
		const { attempts, store } = answered([...start, linked("prev", "next", "last"), linked("first", "next")]);
		const pages = await Array.fromAsync(store.listPets({ cursor }).pages({ from: "last" }));
		assert.deepEqual(pages, [
			{ pets: [], next: "next-cursor", prev: "prev-cursor", last: "last-cursor" },
			{ pets: [], next: "next-cursor" },
		]);
		return attempts.map(({ url }) => url.replace("http://a.example/v1/pets?", ""));
	};
	const rest = ["limit=100&cursor=last-cursor", "limit=100&cursor=prev-cursor"];
	assert.deepEqual(await read(), ["limit=1", ...rest]);
	assert.deepEqual(await read("last-cursor"), rest);
});

test("an already aborted signal ends the call at once, and no call leaks a listener or a timer", async (context) => {
	const cleared = context.mock.method(globalThis, "clearTimeout");
	const set = context.mock.method(globalThis, "setTimeout");
	const { signal } = new AbortController();
	await answered([new TypeError("cut"), new Response("[]")]).store.listPage({}, { signal });
	assert.equal(getEventListeners(signal, "abort").length, 0);
	const timers = set.mock.calls.filter(({ arguments: [, ms] }) => ms === 10_000).map(({ result }) => result);
	assert.equal(timers.length, 2, "one for each attempt");
	const stopped = cleared.mock.calls.map(({ arguments: [timer] }) => timer);
	for (const timer of timers) assert.ok(stopped.includes(timer));
	const reason = new Error("too late");
	const { attempts, store } = answered([new Response("[]")], {
		fetch: async (_url, request) => {
			request?.signal?.throwIfAborted();
			return new Response("[]");
		},
	});
	await assert.rejects(store.listPage({}, { signal: AbortSignal.abort(reason) }), reason);
	assert.equal(attempts.length, 0);
});

test("an ApiError has the name of its class, and the headers and request id of its reply", async () => {
	const error = await failureOf(answered([refusal(400, { "x-request-id": "r-1" })]).store.listPage());
	assert.ok(error instanceof ApiError && error.headers.get("x-request-id") === "r-1");
	assert.deepEqual([error.name, error.requestId, String(error)], ["ApiError", "r-1", "ApiError: m"]);
	const plain = await failureOf(answered([refusal(400)]).store.listPage());
	assert.ok(plain instanceof ApiError && plain.requestId === undefined);
});

test("a failed connection is reported as such, with its cause", async () => {
	const cut = await failureOf(answered([new TypeError("cut")], { retryForMs: 0 }).store.listPage());
	assert.match(cut.message, /^no reply from http:\/\/a\.example\/v1: the connection failed \(cut\)$/);
	assert.ok(cut instanceof NoReply && cut.cause instanceof TypeError && cut.name === "NoReply");
});

const broken = () => Object.assign(new TypeError("fetch failed"), { cause: { code: "ECONNRESET", message: "read" } });
const refusedWith = (status: number, code: string) => refusal(status, {}, { code, message: "m" });

/** Records the waits between attempts instead of waiting. */
function unhurried(context: TestContext): number[] {
	const waits: number[] = [];
	const wait = setTimeout;
	context.mock.method(globalThis, "setTimeout", (act: () => void, ms: number) => {
		if (ms === 10_000) return wait(act, ms);
		waits.push(ms);
		return wait(act, 0);
	});
	return waits;
}

test("the pauses between attempts double up to 8 s, with up to half random jitter", async (context) => {
	const most = [200, 400, 800, 1600, 3200, 6400, 8000, 8000];
	const waits = unhurried(context);
	for (const [random, part] of [
		[0, 0.5],
		[0.5, 0.75],
		[1, 1],
	] as const) {
		context.mock.method(Math, "random", () => random);
		await answered([...most.map(() => refusal(503)), new Response("[]")]).store.listPage();
		const expected = most.map((ms) => ms * part);
		assert.deepEqual(waits.splice(0), expected);
	}
});

test("429, 502, 503 and 504 are retried; all other errors, also 500, are reported at once", async (context) => {
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

test("a refusal of the request itself settles a create, also after an unknown outcome", async (context) => {
	unhurried(context);
	for (const [status, code, isUnsettled] of [
		[400, "invalid_json", false],
		[400, "invalid_body", false],
		[400, "invalid_parameter", false],
		[413, "body_too_large", false],
		[415, "unsupported_media_type", false],
		[422, "idempotency_key_reused", false],
		[400, "malformed_request", true],
		[400, "added_later", true],
		[401, "invalid_credential", true],
		[403, "insufficient_scope", true],
	] as const) {
		for (const before of [broken(), refusedWith(503, "storage_unavailable")]) {
			const { store, attempts } = answered([before, refusedWith(status, code)]);
			const error = await failureOf(store.createPet(rex));
			assert.deepEqual([error.isUnsettled, attempts.length], [isUnsettled, 2], code);
		}
		const error = await failureOf(
			answered([refusedWith(503, "overloaded"), refusedWith(status, code)]).store.createPet(rex),
		);
		assert.equal(error.isUnsettled, false, `${code} after overloaded`);
	}
});

test("a client that never got a reply gives up within half a second if there is no connection", async (context) => {
	const waits = unhurried(context);
	let nowMs = 0;
	context.mock.method(performance, "now", () => nowMs + waits.reduce((sum, ms) => sum + ms, 0));
	const unreachable = [
		{ code: "ECONNREFUSED" },
		{ code: "ENOTFOUND" },
		{ code: "DEPTH_ZERO_SELF_SIGNED_CERT" },
		{ code: "ECONNRESET", message: "Client network socket disconnected before secure TLS connection was established" },
		{ message: "unexpected redirect" },
	].map((cause) => Object.assign(new TypeError("fetch failed"), { cause }));
	for (const error of [...unreachable, new TypeError("Failed to fetch"), new TypeError("Load failed")]) {
		waits.length = 0;
		const { store, attempts } = answered([error], { retryForMs: 60_000 });
		const failure = await failureOf(store.createPet(rex));
		assert.ok(failure instanceof NoReply && failure.reason === "unreachable", failure.message);
		assert.ok(failure.message.startsWith("no reply from http://a.example/v1: the connection failed ("));
		assert.ok(attempts.length >= 2 && attempts.length <= 3, `${attempts.length} attempts`);
		assert.ok(waits.reduce((sum, ms) => sum + ms, 0) <= 500);
	}
	waits.length = 0;
	const beforeRequest = () => {
		nowMs += 600;
	};
	const started = answered([new TypeError("Failed to fetch")], { beforeRequest });
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
	const refusedLater = [new Response("[]"), new TypeError("Failed to fetch")];
	const { store } = answered(refusedLater);
	await store.listPage();
	await failureOf(store.listPage());
	assert.ok(waits.length >= 5);
});

test("a reply whose body breaks off counts as a lost connection", async () => {
	const body = new ReadableStream({ pull: (controller) => controller.error(new TypeError("terminated")) });
	const store = new AnimalStore({
		url: "http://a.example",
		key: "k",
		maxRetries: 0,
		fetch: async () => new Response(body),
	});
	const error = await failureOf(store.listPage());
	assert.ok(error instanceof NoReply && error.reason === "lost");
});

/** A server that never replies. */
const unanswered: typeof fetch = (_url, request) =>
	new Promise((_resolve, reject) => request?.signal?.addEventListener("abort", () => reject(request.signal?.reason)));

test("an abort ends a call at once, in an attempt and between two", async () => {
	const reason = new Error("the user left");
	for (const send of [unanswered, async () => refusal(503, { "retry-after": "20" })]) {
		const leaving = new AbortController();
		const { store } = answered([], { fetch: send, timeoutMs: 60_000 });
		const call = store.listPage({}, { signal: leaving.signal });
		setTimeout(() => leaving.abort(reason), 50);
		assert.equal(await call.catch((error) => error), reason);
	}
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
		const silent = new AnimalStore({ url: "http://a.example", key: "k", maxRetries: 0, fetch: unanswered, ...client });
		const late = await failureOf(silent.listPage({}, call));
		assert.ok(late instanceof NoReply && late.reason === "timeout");
		assert.equal(late.message, `no reply from http://a.example/v1: time-out after ${expected} ms`);
	}
});

test("a reply that is not the service's is reported as such, whatever numbers are in it", async () => {
	const page = "<html>Bad things happened</html>";
	for (const [status, body, message] of [
		[200, page, /the reply is not JSON/],
		[418, page, /another server, such as a proxy, replied 418/],
		[503, page, /another server, such as a proxy, replied 503/],
		[418, '{"id":9007199254740993,"error":"no"}', /replied 418/],
	] as const) {
		const { store } = answered([new Response(body, { status })], { int64: "number", retryForMs: 0 });
		const error = await failureOf(store.listPage());
		assert.ok(error instanceof ApiError && error.code === "unexpected_reply" && error.status === status);
		assert.match(error.message, message);
	}
});

test("onRetry gets each failed attempt that is repeated, and the wait before the next one", async (context) => {
	const waits = unhurried(context);
	const retries: Retry[] = [];
	const replies = [broken(), refusal(503, { "retry-after": "2" }), new Response("[]")];
	await answered(replies, { onRetry: (retry) => void retries.push(retry) }).store.listPage();
	assert.deepEqual(
		retries.map(({ attempt, error }) => [attempt, error.name]),
		[
			[1, "NoReply"],
			[2, "ApiError"],
		],
	);
	assert.deepEqual(
		retries.map(({ waitMs }) => waitMs),
		waits,
	);
	assert.ok(Number(waits[1]) >= 2000, "after Retry-After");
	retries.length = 0;
	await failureOf(answered([refusal(400)], { onRetry: (retry) => void retries.push(retry) }).store.listPage());
	assert.deepEqual(retries, []);
});

test("onRetry may abort the call, which then does not wait", async (context) => {
	const waits = unhurried(context);
	const leaving = new AbortController();
	const reason = new Error("no patience");
	const { store, attempts } = answered([refusal(503)], { onRetry: () => leaving.abort(reason) });
	assert.equal(await store.listPage({}, { signal: leaving.signal }).catch((error) => error), reason);
	assert.deepEqual([attempts.length, waits], [1, []]);
});

test("hooks see each attempt and each reply; they may change headers, and do not see the key", async (context) => {
	unhurried(context);
	const seen: unknown[] = [];
	const { store, attempts } = answered([refusal(503), new Response("{}", { status: 201 })], {
		beforeRequest: async (request) => {
			await undefined;
			request.headers["traceparent"] = `trace-${request.attempt}`;
			seen.push([request.method, request.url, request.body, request.attempt]);
			assert.doesNotMatch(JSON.stringify(request), /Bearer|authorization/i);
		},
		afterResponse: ({ status }, { headers, attempt }) => void seen.push([status, headers["traceparent"], attempt]),
	});
	await store.createPet(rex);
	const body = '{"name":"Rex","categoryId":1}';
	assert.deepEqual(seen, [
		["POST", "http://a.example/v1/pets", body, 1],
		[503, "trace-1", 1],
		["POST", "http://a.example/v1/pets", body, 2],
		[201, "trace-2", 2],
	]);
	for (const [index, { headers }] of attempts.entries()) {
		assert.equal(headers.get("traceparent"), `trace-${index + 1}`);
		assert.equal(headers.get("authorization"), "Bearer k");
	}
});

test("an error of a hook ends the call unchanged, without another attempt", async () => {
	const wrong = new Error("a bug in a hook");
	const fail = () => {
		throw wrong;
	};
	for (const hooks of [{ beforeRequest: fail }, { afterResponse: fail }, { onRetry: fail }]) {
		const { store, attempts } = answered([refusal(503)], hooks);
		assert.equal(await store.listPage().catch((error) => error), wrong);
		assert.ok(attempts.length <= 1);
	}
});

test("withResponse has the result with the reply's status, headers and request id", async () => {
	const page = answered([new Response("[]", { headers: { etag: '"e"', "x-request-id": "r-2" } })]);
	const { data, response, requestId } = await page.store.listPage().withResponse();
	assert.deepEqual(data, { pets: [] });
	assert.deepEqual([response.status, response.headers.get("etag"), requestId], [200, '"e"', "r-2"]);
	const { store } = answered([new Response('{"id":1}', { status: 201 })]);
	const call = store.createPet(rex);
	const added = await call.withResponse();
	assert.equal(added.data, await call, "one call, one request");
	assert.deepEqual([added.response.status, added.requestId], [201, undefined]);
	const error = await answered([refusal(400)])
		.store.getPet(1)
		.withResponse()
		.catch((error) => error);
	assert.ok(error instanceof ApiError);
});

const linked = (ids: number[], next?: string) =>
	new Response(JSON.stringify(ids.map((id) => ({ id, name: "a", categoryId: 1 }))), {
		headers: next ? { link: `<http://a.example/v1/pets?cursor=${next}>; rel="next"` } : {},
	});

test("toArray and first request no more animals than they return", async () => {
	const pages = () => [linked([1, 2], "n"), linked([3, 4], "m"), linked([5])];
	const read = async (limit: number, pageSize?: number) => {
		const { store, attempts } = answered(pages());
		const found = await store.listPets({ limit: pageSize }).toArray({ limit });
		return [found.map(({ id }) => id).join(), attempts.map(({ url }) => url.split("?")[1]).join(" ")];
	};
	assert.deepEqual(await read(3, 2), ["1,2,3", "limit=2 limit=2&cursor=n"]);
	assert.deepEqual(await read(2), ["1,2", "limit=2"]);
	assert.deepEqual(await read(Infinity), ["1,2,3,4,5", "limit=100 limit=100&cursor=n limit=100&cursor=m"]);
	assert.deepEqual(await read(250), ["1,2,3,4,5", "limit=100 limit=100&cursor=n limit=100&cursor=m"]);
	for (const limit of [0, -1, 1.5, Number.NaN]) await assert.rejects(read(limit), RangeError);
	const { store, attempts } = answered([linked([7], "n")]);
	assert.equal((await store.listPets({ status: "sold" }).first())?.id, "7");
	assert.deepEqual(
		attempts.map(({ url }) => url.split("?")[1]),
		["limit=1&status=sold"],
	);
	assert.equal(
		await answered([linked([])])
			.store.listPets()
			.first(),
		undefined,
	);
});
