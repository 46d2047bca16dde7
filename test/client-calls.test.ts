// The requests of the client and its handling of replies, with a fake `fetch`: no server, no waiting.

import assert from "node:assert/strict";
import { getEventListeners } from "node:events";
import { test } from "node:test";
import { AnimalStore, ApiError, type ClientOptions, NoReply } from "../client/src/index.ts";

const rex = { name: "Rex", categoryId: 1 };

interface Attempt {
	url: string;
	headers: Headers;
	request: RequestInit;
}

/** A client that gets these replies in turn, the last one again and again. */
function answered(replies: (Response | Error)[], options: Partial<ClientOptions> = {}) {
	const attempts: Attempt[] = [];
	const send: typeof fetch = async (url, request = {}) => {
		attempts.push({ url: String(url), headers: new Headers(request.headers), request });
		// A client that would go on for ever is told no.
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

test("the result of a create is unknown after a 5xx and after a reply that is not the service's", async () => {
	for (const [status, isUnsettled] of [
		[499, false],
		[500, true],
		[501, true],
	] as const) {
		const error = await failureOf(answered([refusal(status)]).store.createPet(rex));
		assert.ok(error instanceof ApiError && error.isUnsettled === isUnsettled, String(status));
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
	assert.equal(attempts.length, 1, "60 seconds are more than the 30 that a call may take");
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

test("onReply is called for successful replies only", async () => {
	const seen: number[] = [];
	const onReply = ({ status }: Response) => void seen.push(status);
	await answered([new Response("[]")]).store.listPage({}, { onReply });
	await failureOf(answered([refusal(400)]).store.listPage({}, { onReply }));
	await failureOf(answered([new Response("no JSON")]).store.listPage({}, { onReply }));
	assert.deepEqual(seen, [200]);
});

test("an already aborted signal ends the call before a reply, and no call leaks a listener or a timer", async (context) => {
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

test("an ApiError has the name of its class and the request id of its reply", async () => {
	const error = await failureOf(answered([refusal(400, { "x-request-id": "r-1" })]).store.listPage());
	assert.ok(error instanceof ApiError);
	assert.deepEqual([error.name, error.requestId, String(error)], ["ApiError", "r-1", "ApiError: m"]);
	const plain = await failureOf(answered([refusal(400)]).store.listPage());
	assert.ok(plain instanceof ApiError && plain.requestId === undefined);
});

test("a failed connection is reported as such, with its cause", async () => {
	const cut = await failureOf(answered([new TypeError("cut")], { retryForMs: 0 }).store.listPage());
	assert.match(cut.message, /^no reply from http:\/\/a\.example\/v1: the connection failed$/);
	assert.ok(cut instanceof NoReply && cut.cause instanceof TypeError && cut.name === "NoReply");
});
