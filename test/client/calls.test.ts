// The requests of the client, and how it handles replies, with a fake `fetch`, without a server and without waits.

import assert from "node:assert/strict";
import { getEventListeners } from "node:events";
import { test } from "node:test";
import { ApiError, NoReply } from "../../client/src/index.ts";
import { answered, failureOf, refusal, rex, unhurried } from "./fake-fetch.ts";

test("every error of a create has its Idempotency-Key, which all attempts used", async (context) => {
	const cut = new TypeError("cut");
	for (const replies of [[refusal(400)], [cut, refusal(400)], [cut, cut]]) {
		const { attempts, store } = answered(replies, { maxRetries: 1 });
		const { idempotencyKey } = await failureOf(store.createPet(rex));
		const sent = attempts.map(({ headers }) => headers.get("idempotency-key"));
		assert.deepEqual(new Set(sent), new Set([idempotencyKey]));
	}
	const { attempts, store } = answered([new Response("{}")]);
	for (const key of [undefined, undefined, "mine"]) await store.createPet(rex, key ? { idempotencyKey: key } : {});
	context.mock.method(crypto, "getRandomValues", (bytes: Uint8Array) => bytes.fill(7));
	await store.createPet(rex);
	const keys = attempts.map(({ headers }) => headers.get("idempotency-key"));
	assert.notEqual(keys[0], keys[1]);
	assert.deepEqual(keys.slice(2), ["mine", "07".repeat(16)], "32 digits, even if a byte is small");
});

test("a request has the key as a bearer token and a JSON body without an absent status", async () => {
	const { attempts, store } = answered([new Response("{}")]);
	await store.createPet({ name: 'a "b"', categoryId: 9007199254740993n });
	await store.createPet({ ...rex, status: "sold" });
	await store.getPet(-(2n ** 63n));
	const sent = attempts.map(({ url, request: { method, body } }) => [method, url, body]);
	assert.deepEqual(sent, [
		["POST", "http://a.example/v1/pets", '{"name":"a \\"b\\"","categoryId":9007199254740993}'],
		["POST", "http://a.example/v1/pets", '{"name":"Rex","categoryId":1,"status":"sold"}'],
		["GET", "http://a.example/v1/pets/-9223372036854775808", undefined],
	]);
	assert.equal(attempts[0]?.headers.get("content-type"), "application/json");
	for (const { request, headers } of attempts) {
		assert.equal(headers.get("authorization"), "Bearer k");
		assert.equal(request.redirect, "error", "the key is not sent to a redirect target");
	}
});

/** A page with links to other pages, by their cursors. */
function page(cursors: Record<string, string>, ids: number[] = []): Response {
	const links = Object.entries(cursors).map(([rel, text]) => `<http://b.example/v1/pets?cursor=${text}>; rel="${rel}"`);
	const pets = ids.map((id) => ({ id, name: "a", categoryId: 1 }));
	return new Response(JSON.stringify(pets), { headers: { link: links.join(", ") } });
}

test("a list requests pages of 100 by default, and follows only the next link", async () => {
	const { attempts, store } = answered([page({ first: "f", next: "n%20x" }), new Response("[]")]);
	const pages = await Array.fromAsync(store.listPets({ status: "sold" }).pages());
	assert.deepEqual(pages, [{ pets: [], next: "n x" }, { pets: [] }]);
	const urls = attempts.map(({ url }) => url);
	assert.deepEqual(urls, [
		"http://a.example/v1/pets?limit=100&status=sold",
		"http://a.example/v1/pets?limit=100&status=sold&cursor=n+x",
	]);
	const later = answered([new Response("[]")]);
	await Array.fromAsync(later.store.listPets({ cursor: "c" }));
	assert.equal(later.attempts[0]?.url, "http://a.example/v1/pets?limit=100&cursor=c");
	const first = answered([page({ first: "f" })]);
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
	const read = async (cursor?: string) => {
		const start = cursor === undefined ? [page({ first: "f", next: "n", last: "l" })] : [];
		const { attempts, store } = answered([...start, page({ prev: "p", next: "n", last: "l" }), page({ next: "n" })]);
		const pages = await Array.fromAsync(store.listPets({ cursor }).pages({ from: "last" }));
		assert.deepEqual(pages, [
			{ pets: [], next: "n", prev: "p", last: "l" },
			{ pets: [], next: "n" },
		]);
		return attempts.map(({ url }) => url.replace("http://a.example/v1/pets?", ""));
	};
	const rest = ["limit=100&cursor=l", "limit=100&cursor=p"];
	assert.deepEqual(await read(), ["limit=1", ...rest]);
	assert.deepEqual(await read("l"), rest);
});

test("an already aborted signal ends the call at once, and no call leaks a listener or a timer", async (context) => {
	const cleared = context.mock.method(globalThis, "clearTimeout");
	const set = context.mock.method(globalThis, "setTimeout");
	const { signal } = new AbortController();
	await answered([new TypeError("cut"), new Response("[]")]).store.listPage({}, { signal });
	assert.equal(getEventListeners(signal, "abort").length, 0);
	const timers = set.mock.calls.filter(({ arguments: [, ms] }) => ms === 10_000).map(({ result }) => result);
	assert.equal(timers.length, 2, "each attempt has a timer");
	const stopped = cleared.mock.calls.map(({ arguments: [timer] }) => timer);
	for (const timer of timers) assert.ok(stopped.includes(timer));
	const reason = new Error("too late");
	const fetch = async (_url: unknown, request: RequestInit = {}) => {
		request.signal?.throwIfAborted();
		return new Response("[]");
	};
	await assert.rejects(answered([], { fetch }).store.listPage({}, { signal: AbortSignal.abort(reason) }), reason);
});

test("an ApiError has the name of its class, and the headers and request id of its reply", async () => {
	const error = await failureOf(answered([refusal(400, { "x-request-id": "r-1" })]).store.listPage());
	assert.ok(error instanceof ApiError && error.headers.get("x-request-id") === "r-1");
	assert.deepEqual([error.name, error.requestId, String(error)], ["ApiError", "r-1", "ApiError: m"]);
	const plain = await failureOf(answered([refusal(400)]).store.listPage());
	assert.ok(plain instanceof ApiError && plain.requestId === undefined);
});

test("a reply whose body breaks off counts as a lost connection", async () => {
	const body = new ReadableStream({ pull: (controller) => controller.error(new TypeError("terminated")) });
	const error = await failureOf(answered([new Response(body)], { maxRetries: 0 }).store.listPage());
	assert.ok(error instanceof NoReply && error.reason === "lost");
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

test("hooks see each attempt and each reply; they may change headers, and do not see the key", async (context) => {
	unhurried(context);
	const seen: unknown[] = [];
	const { store, attempts } = answered([refusal(503), new Response("{}", { status: 201 })], {
		beforeRequest: async (request) => {
			await undefined;
			request.headers["traceparent"] = `trace-${request.attempt}`;
			request.headers[`x-${request.attempt}`] = "only this attempt";
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
		assert.deepEqual([headers.has("x-1"), headers.has("x-2")], [index === 0, index === 1]);
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
	const refusing = answered([refusal(400)]).store;
	assert.ok((await failureOf(refusing.getPet(1).withResponse())) instanceof ApiError);
});

test("toArray and first request no more animals than they return", async () => {
	const pages = () => [page({ next: "n" }, [1, 2]), page({ next: "m" }, [3, 4]), page({}, [5])];
	const read = async (limit: number, pageSize?: number) => {
		const { store, attempts } = answered(pages());
		const found = await store.listPets({ limit: pageSize }).toArray({ limit });
		return [found.map(({ id }) => id).join(), attempts.map(({ url }) => url.split("?")[1]).join(" ")];
	};
	assert.deepEqual(await read(3, 2), ["1,2,3", "limit=2 limit=2&cursor=n"]);
	assert.deepEqual(await read(2), ["1,2", "limit=2"]);
	for (const limit of [250, Infinity])
		assert.deepEqual(await read(limit), ["1,2,3,4,5", "limit=100 limit=100&cursor=n limit=100&cursor=m"]);
	for (const limit of [0, -1, 1.5, Number.NaN]) await assert.rejects(read(limit), RangeError);
	const { store, attempts } = answered([page({ next: "n" }, [7])]);
	assert.equal((await store.listPets({ status: "sold" }).first())?.id, "7");
	const queries = attempts.map(({ url }) => url.split("?")[1]);
	assert.deepEqual(queries, ["limit=1&status=sold"]);
	const none = answered([page({})]).store.listPets();
	assert.equal(await none.first(), undefined);
});
