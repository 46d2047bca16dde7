// The command `import` with a service and a folder.

import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { type Call, call } from "./command.ts";
import { listAll } from "./ledger.ts";
import { type Finished, runProgram, type Start } from "./program.ts";
import { temporaryFolder, testService } from "./service.ts";

/** A service, a folder, and functions that run the command in that folder. */
export async function importer(context: TestContext) {
	const service = await testService(context);
	const folder = temporaryFolder(context);
	const scratch = join(folder, "tmp");
	mkdirSync(scratch);
	const environment = { ANIMAL_STORE_URL: service.url, ANIMAL_STORE_KEY: service.key, TMPDIR: scratch };
	const write = (name: string, content: string | Buffer) => writeFileSync(join(folder, name), content);
	const run = (file: string, { more = [], ...options }: { more?: readonly string[] } & Call = {}) =>
		call(["import", file, ...more], { environment, folder, ...options });
	return {
		service,
		environment,
		path: (name: string) => join(folder, name),
		write,
		read: (name: string) => readFileSync(join(folder, name), "utf8"),
		run,
		/** Writes a file, and runs the command with it and with these flags. */
		add: (file: string, content: string | Buffer, ...more: string[]) => {
			write(file, content);
			return run(file, { more });
		},
		runProgram: (file: string, options: Start) => runProgram(["import", file], { environment, folder, ...options }),
		pets: async () => (await listAll(service.url, service.key)).map(({ id: _id, ...pet }) => pet),
	};
}

export function assertImported({ code, stdout, stderr }: Finished, said: RegExp): void {
	assert.equal(code, 0, stderr);
	assert.match(stdout, said);
	assert.match(stderr, /^[\w.]+: (CSV with commas|NDJSON|a JSON array), UTF-8, \d+ animals?\n$/);
}
