// The quick form of the fuzzer, with the same cases each time: a build tells of its change. `npm run prove -- --only mutations` looks
// for new ones. SEED gives others.

import assert from "node:assert/strict";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { checkExchange, logProblems } from "./mutation-check.ts";
import { describeFindings, runMutations } from "./mutation-run.ts";
import { corpusRequests, mutationCase } from "./mutations.ts";
import { testDatabase } from "./postgres.ts";
import { seed } from "./random.ts";
import { temporaryFolder } from "./service.ts";

const cases = 2500;

async function tryMutations(context: TestContext, databaseUrl: string, first: number) {
	const run = { databaseUrl, seed, first, cases };
	const { findings, statuses } = await runMutations(context, run);
	context.diagnostic(JSON.stringify(statuses));
	assert.equal(findings.length, 0, describeFindings(findings, run));
	for (const status of [200, 201, 400, 401, 404, 405]) assert.ok(statuses[status], `no reply was ${status}`);
}

test("sqlite: 2,500 mutated requests get no 5xx, nothing without the key, and the Error object for every failure", async (context) => {
	await tryMutations(context, `sqlite:${join(temporaryFolder(context), "animals.db")}`, 0);
});

test("postgres: 2,500 mutated requests get no 5xx, nothing without the key, and the Error object for every failure", async (context) => {
	const { url, drop } = await testDatabase();
	context.after(drop);
	await tryMutations(context, url, cases);
});

test("a mutation is reproducible by seed and number, and different numbers give different mutations", () => {
	const requests = corpusRequests({ key: "pets_key", cursor: "cursor" });
	const shown = (index: number) => JSON.stringify(mutationCase(7, index, requests));
	assert.equal(shown(1), shown(1));
	assert.notEqual(shown(1), shown(2));
});

const key = "pets_theKey";
const withKey = `GET /v1/pets HTTP/1.1\r\nAuthorization: Bearer ${key}\r\n\r\n`;
const withoutKey = "GET /v1/pets HTTP/1.1\r\nHost: a\r\n\r\n";

function failureReply(code: string, status: number, headers = ""): string {
	const body = JSON.stringify({ code, message: "a sentence for people", status });
	const fixed =
		"X-Request-Id: a\r\nContent-Type: application/json\r\nCache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\n";
	return `HTTP/1.1 ${status} Text\r\n${fixed}${headers}Content-Length: ${body.length}\r\n\r\n${body}`;
}
const okReply = (body: string) => `HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n\r\n${body}`;

const broken: [what: string, sent: string, received: string, expected: RegExp][] = [
	["a 500", withKey, failureReply("internal_error", 500), /a reply of 500/],
	["503 for the store", withKey, failureReply("storage_unavailable", 503, "Retry-After: 1\r\n"), /a reply of 503/],
	["503 without Retry-After", withKey, failureReply("overloaded", 503), /503 .*overloaded/],
	["a HEAD's 500", "HEAD / HTTP/1.1\r\n\r\n", "HTTP/1.1 500 Text\r\n\r\n", /a reply of 500/],
	["a body for HEAD", "HEAD / HTTP/1.1\r\n\r\n", failureReply("malformed_request", 400), /HEAD has a body/],
	["no reply", withKey, "", /there is no reply/],
	["a failure without a body", withKey, "HTTP/1.1 400 Text\r\n\r\n", /is not JSON/],
	["an unknown code", withKey, failureReply("teapot", 400), /the code is teapot/],
	["a status unlike the code", withKey, failureReply("pet_not_found", 400), /404/],
	["a cut reply", withKey, okReply("[]").slice(0, -1), /ends after 1 of 2 bytes/],
	["what is no reply", withKey, "hello", /this is no reply/],
	["a redirect elsewhere", withKey, "HTTP/1.1 308 Text\r\nLocation: //evil\r\n\r\n", /for \/docs\/ alone/],
	["a header of the request's making", withKey, "HTTP/1.1 204 Text\r\nInjected: yes\r\n\r\n", /has written a header/],
	["the key", withKey, okReply(`"${key}"`), /the key is in a reply/],
	["an animal without the key", withoutKey, okReply('{"name":"canary-3Zq9"}'), /an animal is shown/],
	["an empty list without the key", withoutKey, okReply("[]"), /a list is shown/],
	["404 of an animal without the key", withoutKey, failureReply("pet_not_found", 404), /told without the key/],
	[
		"Allow without the key",
		withoutKey,
		failureReply("method_not_allowed", 405, "Allow: POST\r\n"),
		/is told without it/,
	],
];

for (const [what, sent, received, expected] of broken) {
	test(`the check of mutations finds ${what}`, () => {
		const exchange = { sent: Buffer.from(sent), received: Buffer.from(received) };
		const whole = { ...exchange, pieces: 1, isHalfClosed: false };
		assert.throws(() => checkExchange(whole, key), expected);
	});
}

test("the check of mutations finds open connections, and errors and calls without a key in the log", () => {
	const exchange = { sent: Buffer.from(withKey), received: Buffer.from(okReply("[]")), pieces: 1, isHalfClosed: false };
	assert.doesNotThrow(() => checkExchange(exchange, key));
	assert.throws(() => checkExchange({ ...exchange, problem: "the connection was still open" }, key), /still open/);
	const lines = [
		{ level: "info", "http.route": "/v1/pets", "http.response.status_code": 200, keyId: "k" },
		{ level: "info", "http.route": "/v1/pets", "http.response.status_code": 401 },
		{ level: "error", "error.type": "overloaded" },
		{ level: "info", "http.route": "/v1/pets", "http.response.status_code": 200, requestId: "keyless" },
		{ level: "error", "error.type": "internal_error", requestId: "error" },
		{ level: "fatal", requestId: "fatal" },
	];
	const found = logProblems(lines.map((line) => JSON.stringify(line)));
	assert.deepEqual(
		found.map(({ requestId }) => requestId),
		["keyless", "error", "fatal"],
	);
});
