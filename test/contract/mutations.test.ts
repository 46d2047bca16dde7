// A short run of the fuzzer, with the same cases each time. `npm run prove -- --only mutations` tries many more cases.

import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { databaseFor } from "../support/postgres.ts";
import { seed } from "../support/random.ts";
import { temporaryStore } from "../support/service.ts";
import { checkExchange, logProblems } from "./mutation-check.ts";
import { runMutations } from "./mutation-run.ts";

const cases = 2500;

async function tryMutations(context: TestContext, databaseUrl: string, first: number) {
	const { findings, statuses } = await runMutations(context, { databaseUrl, seed, first, cases });
	context.diagnostic(JSON.stringify(statuses));
	assert.equal(findings.length, 0, findings.slice(0, 5).join("\n"));
	for (const status of [200, 201, 400, 401, 404, 405]) assert.ok(statuses[status], `no reply was ${status}`);
}

test("sqlite: 2,500 mutated requests get no 5xx, nothing without the key, only Error objects", async (context) => {
	await tryMutations(context, temporaryStore(context), 0);
});

test("postgres: 2,500 mutated requests get no 5xx, nothing without the key, only Error objects", async (context) => {
	const { url } = await databaseFor(context);
	await tryMutations(context, url, cases);
});

function failure(code: string, status: number, headers = ""): string {
	const body = JSON.stringify({ code, message: "a sentence for people", status });
	const fixed = "X-Request-Id: a\r\nContent-Type: application/json\r\nCache-Control: no-store\r\n";
	const length = `X-Content-Type-Options: nosniff\r\nContent-Length: ${body.length}\r\n`;
	return `HTTP/1.1 ${status} Text\r\n${fixed}${headers}${length}\r\n${body}`;
}
const ok = (body: string) => `HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n\r\n${body}`;

test("the check of mutations reports wrong and revealing replies, open ends, and errors", () => {
	const key = "pets_theKey";
	const check = (received: string, credential: string, problem?: string) => {
		const sent = Buffer.from(`GET /v1/pets HTTP/1.1\r\n${credential}\r\n`);
		checkExchange({ sent, received: Buffer.from(received), ...(problem && { problem }) }, key);
	};
	const withKey = `Authorization: Bearer ${key}\r\n`;
	assert.doesNotThrow(() => check(ok("[]"), withKey));
	const broken: [credential: string, received: string, expected: RegExp][] = [
		[withKey, failure("internal_error", 500), /a reply of 500/],
		[withKey, failure("storage_unavailable", 503, "Retry-After: 1\r\n"), /a reply of 503/],
		[withKey, failure("overloaded", 503), /503 .*overloaded/],
		[withKey, "", /there is no reply/],
		[withKey, failure("teapot", 400), /without a known code/],
		[withKey, failure("pet_not_found", 400), /404/],
		[withKey, ok("[]").slice(0, -1), /ends after 1 of 2 bytes/],
		[withKey, "hello", /not a reply/],
		[withKey, "HTTP/1.1 204 Text\r\nInjected: yes\r\n\r\n", /wrote a header/],
		[withKey, ok(`"${key}"`), /the key is in a reply/],
		["", ok('{"name":"canary-3Zq9"}'), /an animal is shown/],
		["", ok("[]"), /a list is shown/],
		["", failure("pet_not_found", 404), /revealed without the key/],
		["", failure("method_not_allowed", 405, "Allow: POST\r\n"), /methods .* revealed without the key/],
	];
	for (const [credential, received, expected] of broken) assert.throws(() => check(received, credential), expected);
	assert.throws(() => check(ok("[]"), withKey, "the connection was still open"), /still open/);
	const call = { level: "info", "http.route": "/v1/pets", "http.response.status_code": 200 };
	const lines = [
		{ ...call, keyId: "k" },
		{ ...call, "http.response.status_code": 401 },
		{ level: "error", "error.type": "overloaded" },
		{ ...call, requestId: "keyless" },
		{ level: "error", "error.type": "internal_error", requestId: "error" },
		{ level: "fatal", requestId: "fatal" },
	];
	const found = logProblems(lines.map((line) => JSON.stringify(line)));
	const ids = found.map(({ requestId }) => requestId);
	assert.deepEqual(ids, ["keyless", "error", "fatal"]);
});
