// Keys stay secret: no log, error, metric or file contains a key.

import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { keyFromRandom } from "../../src/keys/formats.ts";
import { ask } from "../support/caller.ts";
import { runProgram, startProgram } from "../support/program.ts";
import { temporaryFolder } from "../support/service.ts";
import { exchange } from "../support/wire.ts";

test("a key is printed once and is in no other output or file, however it is sent", async (context) => {
	const folder = temporaryFolder(context);
	const environment = { DATABASE_URL: `sqlite:${join(folder, "animals.db")}`, LOG_LEVEL: "trace" };
	const created = await runProgram(["keys", "create", "--name", "canary"], { environment });
	const key = created.stdout.trim();
	const canary = key.slice(5, 45);
	const other = keyFromRandom(randomBytes(32));
	await (await startProgram(context, { ...environment, API_KEY: other })).stop();
	const service = await startProgram(context, { ...environment, API_KEY: other });
	const port = Number(new URL(service.url).port);
	const seen: string[] = [created.stderr];
	const json = "Content-Type: application/json\r\n";
	const good = `Authorization: Bearer ${key}\r\n`;
	const requests = [
		`GET /v1/pets HTTP/1.1\r\nHost: a\r\n${good}`,
		`GET /v1/pets?key=${key} HTTP/1.1\r\nHost: a\r\n${good}`,
		`GET /v1/pets?cursor=${key} HTTP/1.1\r\nHost: a\r\n${good}`,
		`GET /v1/pets/${key} HTTP/1.1\r\nHost: a\r\n${good}`,
		`GET /v1/${key} HTTP/1.1\r\nHost: a\r\n${good}`,
		`GET /${key} HTTP/1.1\r\nHost: a\r\n`,
		`GET /v1/pets HTTP/1.1\r\nHost: ${key}!\r\n${good}`,
		`GET /v1/pets HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}x\r\n`,
		`GET /v1/pets HTTP/1.1\r\nHost: a\r\nAuthorization: Basic ${key}\r\n`,
		`GET /v1/pets HTTP/1.1\r\nHost: a\r\n${good}${good}`,
		`GET /v1/pets HTTP/1.1\r\nHost: a\r\n${good}Expect: ${key}\r\n`,
		`GET /v1/pets HTTP/1.1\r\nHost: a\r\n${good}If-None-Match: ${key}\r\n`,
		`GET ${key} HTTP/1.1\r\nHost: a\r\n`,
		`${key} / HTTP/1.1\r\nHost: a\r\n`,
		`GET / HTTP/1.1\r\n${key}: a\r\n${key} : b\r\n`,
		`POST /v1/pets HTTP/1.1\r\nHost: a\r\n${good}${json}Content-Length: ${key.length + 10}\r\n\r\n{"name":"${key}"`,
		`POST /v1/pets HTTP/1.1\r\nHost: a\r\n${good}${json}Content-Length: ${key.length}\r\n\r\n${key}`,
		`POST /v1/pets HTTP/1.1\r\nHost: a\r\n${good}Content-Type: ${key}\r\nContent-Length: 2\r\n\r\n{}`,
		`POST /v1/pets HTTP/1.1\r\nHost: a\r\n${good}${json}Idempotency-Key: ${key} x\r\nContent-Length: 2\r\n\r\n{}`,
	];
	for (const request of requests) {
		const complete = request.includes("Content-Length") ? request : `${request}\r\n`;
		const bytes = complete.replace("\r\n\r\n", "\r\nConnection: close\r\n\r\n");
		for (const { headers, body } of await exchange(port, bytes)) {
			// Only the Link header may repeat the caller's own path and query.
			seen.push(JSON.stringify({ ...headers, link: "" }), body);
		}
	}
	const asJson = (await runProgram(["keys", "list", "--json"], { environment })).stdout;
	const asTable = (await runProgram(["keys", "list"], { environment })).stdout;
	seen.push((await ask(`${service.opsUrl}/metrics`)).body, asJson, asTable);
	const listed: { name: string; scopes: string[] }[] = JSON.parse(asJson);
	const scopes = listed.filter(({ name }) => name === "API_KEY").map((row) => row.scopes);
	assert.deepEqual(scopes, [["pets:read", "pets:write", "metrics:read"]], "added once");
	const { stdout, stderr } = await service.stop();
	assert.match(stdout, /"level":"debug",.*"msg":"commit"/);
	seen.push(stdout, stderr);
	for (const name of readdirSync(folder)) seen.push(readFileSync(join(folder, name), "latin1"));
	for (const text of seen) {
		assert.ok(!text.includes(canary), text.slice(Math.max(0, text.indexOf(canary) - 100), text.indexOf(canary) + 60));
		assert.ok(!text.includes(other.slice(5, 45)));
	}
});
