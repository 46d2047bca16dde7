// The order in which a request is checked, as one table, and the replies of the OpenAPI document. Every two faults that
// a request can have at once are sent together: the reply names the fault that is checked first.

import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { type ErrorCode, errorCodes } from "../../src/contract/errors.ts";
import { commonErrors, type Operation, type OperationName, operations } from "../../src/contract/operations.ts";
import { createKey } from "../../src/keys/issue.ts";
import { StorageUnavailable } from "../../src/store/store.ts";
import { document, type ResponseObject } from "../support/declared.ts";
import { assertFailure, create, testService } from "../support/service.ts";
import { until } from "../support/until.ts";
import { exchange, type Reply } from "../support/wire.ts";

/** The parts of a request: `?name` is a query parameter, `Name` is a header; `bytesOf` explains the other names. */
type Parts = Record<string, string>;

/** A valid request to each operation. Animal 1 exists. */
const good: Record<OperationName, Parts> = {
	listPets: { method: "GET", path: "/v1/pets" },
	getPet: { method: "GET", path: "/v1/pets/1" },
	createPet: {
		...{ method: "POST", path: "/v1/pets", text: '{"name":"a","categoryId":1}', Expect: "100-continue" },
		"Content-Type": "application/json",
	},
};
const everywhere = Object.keys(good) as OperationName[];

/** The faults in the order of their checks. Two faults in the same part of a request exclude each other. */
const faults: [code: ErrorCode, parts: Parts, operations?: OperationName[]][] = [
	["malformed_request", { "X-Blank ": "before the colon" }],
	["malformed_request", { version: "HTTP/2.0" }],
	["uri_too_long", { "?long": "x".repeat(12_300) }],
	["headers_too_large", { "X-Many": `1${"\r\nX-Many: 1".repeat(200)}` }],
	["malformed_request", { prefix: "*" }],
	["malformed_request", { "Transfer-Encoding": "gzip, chunked" }],
	["malformed_request", { Host: "" }],
	["malformed_request", { "Content-Type": "application/json\r\nContent-Type: text/plain" }],
	["overloaded", { load: "too much" }],
	["missing_credential", { Authorization: "" }],
	["invalid_credential", { Authorization: "Bearer wrong" }],
	["rate_limited", { rate: "used up" }],
	["route_not_found", { path: "/v1/nothing" }],
	["method_not_allowed", { method: "DELETE" }],
	["expectation_failed", { Expect: "a miracle" }],
	["malformed_request", { "X-Forwarded-Proto": "ftp" }],
	["insufficient_scope", { scope: "lacking" }],
	["operation_removed", { year: "2031" }, ["getPet"]],
	["unsupported_media_type", { "Content-Encoding": "gzip" }, ["createPet"]],
	["unsupported_media_type", { "Content-Type": "text/plain" }, ["createPet"]],
	["body_too_large", { length: String(64 * 1024 + 1) }, ["createPet"]],
	["invalid_parameter", { "Idempotency-Key": "a b" }, ["createPet"]],
	// Between the checks above and below, the service sends 100 Continue.
	["unknown_parameter", { "?page": "2" }],
	["invalid_parameter", { "?limit": "0" }, ["listPets"]],
	["invalid_cursor", { "?cursor": "x" }, ["listPets"]],
	["pet_not_found", { path: "/v1/pets/x" }, ["getPet"]],
	["invalid_json", { text: "" }, ["createPet"]],
	["invalid_body", { text: '{"name":"Rex"}' }, ["createPet"]],
	["idempotency_key_reused", { "Idempotency-Key": "used" }, ["createPet"]],
];
const asked = faults.findIndex(([code]) => code === "unknown_parameter");

/** @param keyOf the API keys, each by its rate and scope */
function bytesOf(parts: Parts, keyOf: Map<string, string>): string {
	const { method, prefix = "", path, version = "HTTP/1.1", text = "", length, rate, scope } = parts;
	const named = (pattern: RegExp) => Object.entries(parts).filter(([name]) => pattern.test(name));
	const query = new URLSearchParams(named(/^\?/).map(([name, value]): [string, string] => [name.slice(1), value]));
	const body = length ? text.padEnd(Number(length)) : text;
	const headers: Parts = {
		...{ Host: "a", Connection: "close", Authorization: `Bearer ${keyOf.get(`${rate} ${scope}`)}` },
		...(parts["Transfer-Encoding"] ? {} : { "Content-Length": String(body.length) }),
		...Object.fromEntries(named(/^[A-Z]/)),
	};
	const lines = Object.entries(headers).map(([name, value]) => (value === "" ? "" : `${name}: ${value}\r\n`));
	return `${method} ${prefix}${path}?${query} ${version}\r\n${lines.join("")}\r\n${body}`;
}

async function serviceWithKeys(context: TestContext) {
	const loadLimits = { delayMs: Infinity, ownShare: 1 };
	const environment = { TRUST_PROXY: "loopback", RATE_LIMIT: "100000/1h" };
	const service = await testService(context, { loadLimits, environment, mixes: false });
	const keyOf = new Map<string, string>();
	for (const rate of [undefined, "used up"]) {
		for (const scope of [undefined, "lacking"]) {
			const scopes = scope ? (["pets:edit"] as const) : (["pets:read", "pets:write"] as const);
			const given = { name: "a", scopes: [...scopes], ...(rate && { rate: "1/1h" }) };
			const { key } = await createKey(service.issuer, given);
			if (rate) await service.send({ path: "/v1/pets", headers: { Authorization: `Bearer ${key}` } });
			keyOf.set(`${rate} ${scope}`, key);
		}
	}
	const used = { Authorization: `Bearer ${keyOf.get("undefined undefined")}`, "Idempotency-Key": "used" };
	await service.send(create({ name: "another", categoryId: 1 }, used));
	return { service, loadLimits, keyOf };
}

type Target = Awaited<ReturnType<typeof serviceWithKeys>>;

interface Sent {
	/** The index of the first fault in the table. */
	place: number;
	parts: Parts;
	reply?: Reply;
}

/** The faults that a request to this operation can have, each in a separate request. */
const faultsOf = (operation: OperationName): Sent[] =>
	[...faults.entries()]
		.filter(([, [, , operations = everywhere]]) => operations.includes(operation))
		.map(([place, [, parts]]) => ({ place, parts }));

/** Sends faulty requests, and records the replies. Afterwards the service is overloaded. */
async function sendAll(operation: OperationName, { service, loadLimits, keyOf }: Target, requests: Sent[]) {
	async function send(sent: Sent): Promise<void> {
		const replies = await exchange(service.port, bytesOf({ ...good[operation], ...sent.parts }, keyOf));
		const statuses = replies.map(({ status }) => status);
		const isAsked = operation === "createPet" && sent.place >= asked;
		assert.equal(statuses.indexOf(100), isAsked ? 0 : -1, `${statuses} for ${JSON.stringify(sent)}`);
		sent.reply = replies.at(-1) as Reply;
		assertFailure(sent.reply, faults[sent.place]?.[0] as ErrorCode);
	}
	const inState = Map.groupBy(requests, ({ parts: { load, year } }) => load ?? year);
	await Promise.all((inState.get(undefined) ?? []).map(send));
	service.clock.nowMs = Date.parse("2031-01-01");
	await Promise.all((inState.get("2031") ?? []).map(send));
	Object.assign(loadLimits, { delayMs: -Infinity, ownShare: -Infinity });
	await until("overload", async () => (await service.send({ path: "/v1/pets" })).status === 503);
	await Promise.all((inState.get("too much") ?? []).map(send));
}

/** The reply to a request whose headers do not end, which no operation changes. */
let stalled: Promise<Reply> | undefined;

const isPossible = (one: Parts, other: Parts) => Object.keys(one).every((part) => !(part in other));
const withoutNumbers = (text: string) => text.replace(/\d+ (requests?|seconds)/g, "… $1");
const textOf = ({ reply }: Sent) => withoutNumbers(reply?.body ?? "");

for (const operation of everywhere) {
	test(`${operation}: two faults get the reply to the first; the document has each status and example`, async (context) => {
		const target = await serviceWithKeys(context);
		stalled ??= timedOut(context);
		const replies = [...(await otherReplies(context, operation, target)), await stalled];
		const alone = faultsOf(operation);
		const pairs = alone.flatMap(({ place, parts }) =>
			alone
				.filter((other) => other.place > place && isPossible(parts, other.parts))
				.map((other): Sent => ({ place, parts: { ...parts, ...other.parts } })),
		);
		await sendAll(operation, target, [...alone, ...pairs]);
		for (const pair of pairs) {
			const first = alone.find(({ place }) => place === pair.place) as Sent;
			assert.equal(textOf(pair), textOf(first), JSON.stringify(pair.parts));
		}
		assert.equal(new Set(alone.map(textOf)).size, alone.length, "each check has its own reply");
		context.diagnostic(`${pairs.length} pairs`);
		const codes: ErrorCode[] = [...(operations[operation] as Operation).errors, ...commonErrors];
		const declaredFaults = alone.filter(({ place }) => codes.includes(faults[place]?.[0] as ErrorCode));
		assertDocumented(operation, codes, [...replies, ...declaredFaults.map(({ reply }) => reply as Reply)]);
	});
}

/** Asserts that the replies have each status, header and example of the document, and no other status. */
function assertDocumented(operation: OperationName, codes: ErrorCode[], replies: Reply[]): void {
	const { default: _, ...declared } = responsesOf(operation);
	const sent = Map.groupBy(replies, ({ status }) => String(status));
	assert.deepEqual(new Set(sent.keys()), new Set(Object.keys(declared)));
	for (const [status, { headers }] of Object.entries(declared)) {
		const names = new Set(sent.get(status)?.flatMap((reply) => Object.keys(reply.headers)));
		for (const name of Object.keys(headers)) assert.ok(names.has(name.toLowerCase()), `${status} without ${name}`);
	}
	const examples = Object.values(declared).flatMap(({ content }) =>
		Object.entries(content?.["application/json"].examples ?? {}),
	);
	assert.deepEqual(new Set(examples.map(([code]) => code)), new Set(codes));
	const bodies = replies.map(({ body }) => withoutNumbers(body));
	for (const [code, { value }] of examples)
		assert.ok(bodies.includes(withoutNumbers(JSON.stringify(value))), `no reply is the example of ${code}`);
}

/** Replies to valid requests, to a request whose headers the parser refuses, and to requests that fail in the store. */
async function otherReplies(context: TestContext, operation: OperationName, { service, keyOf }: Target) {
	const send = async (parts: Parts) => {
		const replies = await exchange(service.port, bytesOf({ ...good[operation], ...parts }, keyOf));
		return replies.at(-1) as Reply;
	};
	const first = await send({ "Idempotency-Key": "good" });
	const again = await send({ "Idempotency-Key": "good", "If-None-Match": first.headers["etag"] ?? "" });
	const failed: Reply[] = [];
	for (const error of [new Error("a bug"), new StorageUnavailable("away")]) {
		// The mock of `version` keeps the service from sending a cached reply.
		for (const method of [operation, "version"] as const)
			context.mock.method(service.store, method, () => Promise.reject(error));
		failed.push(await send({}));
		context.mock.restoreAll();
	}
	return [first, again, await send({ "X-Long": "x".repeat(20_000) }), ...failed];
}

async function timedOut(context: TestContext): Promise<Reply> {
	const { port } = await testService(context, { timeouts: { headersMs: 200, requestMs: 400 } });
	const [reply] = await exchange(port, bytesOf(good.listPets, new Map()).slice(0, 40));
	return reply as Reply;
}

function responsesOf(operation: OperationName): Record<string, ResponseObject> {
	const declared = Object.values(document.paths).flatMap((methods) => Object.values(methods));
	return declared.find(({ operationId }) => operationId === operation)?.responses ?? {};
}

test("every error of a request has its place in the order of checks", () => {
	const others = ["request_timeout", "internal_error", "storage_unavailable", "shutting_down"];
	assert.deepEqual(new Set([...faults.map(([code]) => code), ...others]), new Set(errorCodes));
});
