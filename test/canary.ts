// A test that fails, for .ci/run: if the test command exits with 0 here, the command hides every failure. Like other
// failing tests, this test leaves a server and a connection open. It must end nevertheless.

import assert from "node:assert/strict";
import { createServer } from "node:net";
import { test } from "node:test";
import pg from "pg";
import { withDatabase } from "./support/postgres.ts";

test("canary: a failing test fails the test command, and ends", async () => {
	createServer().listen(0, "127.0.0.1");
	const client = new pg.Client({ connectionString: withDatabase(process.env["TEST_POSTGRES_URL"] ?? "", "postgres") });
	await client.connect();
	assert.equal(1, 2);
});
