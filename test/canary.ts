// A test that fails, for .ci/run: if the test command ends with 0 here, it would do so whatever is broken. It also leaks what
// failing tests leak (a running server), and must end all the same.

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
