// The service sends the replies of the OpenAPI document: each code of each operation is provoked, and its example
// compared.

import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type { ErrorCode } from "../../src/contract/errors.ts";
import { commonErrors, type Operation, type OperationName, operations } from "../../src/contract/operations.ts";
import { createKey } from "../../src/keys/issue.ts";
import { StorageUnavailable, type Store } from "../../src/store/store.ts";
import { type Declared, declaredReply, document } from "../support/declared.ts";
import { assertFailure, create, type TestRequest, type TestService, testService } from "../support/service.ts";
import { until } from "../support/until.ts";
import { exchange, type Reply } from "../support/wire.ts";

const names = Object.keys(operations) as OperationName[];
const rex = { name: "Rex", categoryId: 1, status: "available" };

/** A valid request to each operation; animal 1 exists. */
const good: Record<OperationName, TestRequest> = {
	listPets: { path: "/v1/pets" },
	createPet: create(rex),
	getPet: { path: "/v1/pets/1" },
};

const withHeaders = (name: OperationName, headers: TestRequest["headers"]): TestRequest => ({
	...good[name],
	headers: { ...good[name].headers, ...headers },
});
const withQuery = (name: OperationName, query: string): TestRequest => ({
	...good[name],
	path: `${good[name].path}?${query}`,
});

/** A single request that gets the code. */
const wrong: Partial<Record<ErrorCode, (name: OperationName) => TestRequest>> = {
	invalid_json: () => create(""),
	invalid_body: () => create({ name: "Rex" }),
	invalid_parameter: (name) =>
		name === "listPets" ? withQuery(name, "limit=0") : withHeaders(name, { "Idempotency-Key": "two words" }),
	unknown_parameter: (name) => withQuery(name, "page=2"),
	invalid_cursor: (name) => withQuery(name, "cursor=garbage"),
	malformed_request: (name) => withHeaders(name, { Host: "no host" }),
	missing_credential: (name) => withHeaders(name, { Authorization: undefined }),
	invalid_credential: (name) => withHeaders(name, { Authorization: "Bearer unknown" }),
	pet_not_found: () => ({ path: "/v1/pets/999" }),
	method_not_allowed: (name) => ({ ...good[name], method: "DELETE" }),
	body_too_large: () => create({ ...rex, padding: "x".repeat(70_000) }),
	uri_too_long: (name) => withQuery(name, "x".repeat(13_000)),
	unsupported_media_type: (name) => withHeaders(name, { "Content-Type": "text/plain" }),
	expectation_failed: (name) => withHeaders(name, { Expect: "a miracle" }),
	headers_too_large: (name) => withHeaders(name, { "X-Padding": "x".repeat(20_000) }),
};

/** The codes that need more than one request. */
const provoke: Partial<Record<ErrorCode, (service: TestService, name: OperationName) => Promise<Reply>>> = {
	insufficient_scope: async (service, name) => {
		const { key } = await createKey(service.issuer, { name, scopes: ["metrics:read"] });
		return service.send(withHeaders(name, { Authorization: `Bearer ${key}` }));
	},
	operation_removed: (service, name) => {
		service.clock.nowMs = Date.UTC(2031, 0, 1);
		return service.send(good[name]).finally(() => {
			service.clock.nowMs = undefined;
		});
	},
	idempotency_key_reused: async ({ send }) => {
		await send(create(rex, { "Idempotency-Key": "one" }));
		return send(create({ ...rex, name: "Max" }, { "Idempotency-Key": "one" }));
	},
	rate_limited: async (service, name) => {
		const { key } = await createKey(service.issuer, { name, scopes: [operations[name].scope], rate: "10/1m" });
		const request = withHeaders(name, { Authorization: `Bearer ${key}` });
		for (let sent = 0; sent < 10; sent++) await service.send(request);
		return service.send(request);
	},
	request_timeout: async ({ port }, name) => {
		const { method = "GET", path } = good[name];
		const [reply] = await exchange(port, `${method} ${path} HTTP/1.1\r\nHost: a\r\n`);
		return reply ?? assert.fail("no reply");
	},
	internal_error: (service, name) => withStore(service, name, new Error("a bug")),
	storage_unavailable: (service, name) => withStore(service, name, new StorageUnavailable("away")),
};

/** Calls the operation while the store fails with this error. */
async function withStore({ store, send }: TestService, name: OperationName, error: Error): Promise<Reply> {
	// version decides whether a cached reply is sent again.
	const methods: (keyof Store)[] = [name, "version"];
	const before = methods.map((method) => Object.getOwnPropertyDescriptor(store, method) ?? assert.fail(method));
	const define = (change: object) => {
		for (const [index, method] of methods.entries())
			Object.defineProperty(store, method, { ...before[index], ...change });
	};
	define({ value: () => Promise.reject(error) });
	return send(good[name]).finally(() => define({}));
}

const codesOf = (name: OperationName): ErrorCode[] => [...(operations[name] as Operation).errors, ...commonErrors];

/** Services with the settings that some codes need. */
async function specialServices(context: TestContext): Promise<Partial<Record<ErrorCode, TestService>>> {
	// Any delay of the event loop is more than this.
	const overloaded = await testService(context, { loadLimits: { delayMs: -1000, ownShare: 0 }, mixes: false });
	const isOverloaded = async () => (await overloaded.send({ path: "/v1/pets" })).status === 503;
	await until("the overload to be detected", isOverloaded);
	return {
		request_timeout: await testService(context, { timeouts: { headersMs: 200, requestMs: 400 } }),
		overloaded,
	};
}

test("each error example of the document is what the service sends, with each header", async (context) => {
	const service = await testService(context, { environment: { RATE_LIMIT: "100000/1h" }, mixes: false });
	await service.send(create(rex));
	const special = await specialServices(context);
	const seen = new Map<string, Set<string>>();

	function note({ operation, status, response }: Declared, reply: Reply): void {
		const place = `${operation} ${status}`;
		const known = seen.get(place) ?? new Set();
		const sent = Object.keys(response.headers).filter((header) => header.toLowerCase() in reply.headers);
		seen.set(place, new Set([...known, ...sent]));
	}

	async function noteGood(name: OperationName, headers: TestRequest["headers"] = {}): Promise<Reply> {
		const reply = await service.send(withHeaders(name, headers));
		note(declaredReply(good[name].method ?? "GET", good[name].path, reply.status) ?? assert.fail(name), reply);
		return reply;
	}

	for (const name of names) {
		const { headers } = await noteGood(name, { "Idempotency-Key": "good" });
		await noteGood(name, { "Idempotency-Key": "good", "If-None-Match": headers["etag"] });
		if (name === "createPet") await noteGood(name, { "Content-Encoding": "gzip" });
		for (const code of codesOf(name)) {
			const { send } = special[code] ?? service;
			const reply = await (provoke[code]?.(special[code] ?? service, name) ?? send(wrong[code]?.(name) ?? good[name]));
			assertFailure(reply, code);
			const declared = declaredReply(good[name].method ?? "GET", good[name].path, reply.status) ?? assert.fail(code);
			const example = declared.response.content?.["application/json"].examples?.[code]?.value;
			assert.equal(withoutTime(reply.body), withoutTime(JSON.stringify(example)), `${name} ${code}`);
			note(declared, reply);
		}
	}
	assert.deepEqual(seen, declaredHeaders());
});

/** The message about a rate limit names the remaining seconds. */
const withoutTime = (text: string) => text.replace(/again in \d+ seconds/, "again in 0 seconds");

/** The headers that the document declares for each reply, except `default`, which is for later versions. */
function declaredHeaders(): Map<string, Set<string>> {
	const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods));
	return new Map(
		operations.flatMap(({ operationId, responses }) =>
			Object.entries(responses)
				.filter(([status]) => status !== "default")
				.map(([status, { headers }]) => [`${operationId} ${status}`, new Set(Object.keys(headers))] as const),
		),
	);
}
