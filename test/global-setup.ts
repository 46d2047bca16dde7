// Before all tests: a real PostgreSQL from npm for the tests that need one, unless TEST_POSTGRES_URL names another server.
// After all tests it is gone, files and all.

import { type PostgresServer, startPostgres } from "./postgres-server.ts";

let server: PostgresServer | undefined;

export async function globalSetup(): Promise<void> {
	if (process.env["TEST_POSTGRES_URL"]) return;
	server = await startPostgres(["-c", "max_connections=300"]);
	process.env["TEST_POSTGRES_URL"] = server.url;
}

export async function globalTeardown(): Promise<void> {
	await server?.remove();
}
