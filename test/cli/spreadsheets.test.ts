// The first three minutes with the tables that shelters have, on the command line. The spreadsheets of three programs are
// read in test/console/spreadsheets.test.ts, by the same code.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { runProgram } from "../support/program.ts";
import { temporaryFolder, testService } from "../support/service.ts";
import { petsInWords, shelterTables } from "../support/spreadsheets.ts";
import { slowMs } from "../support/until.ts";

/** The flags that the import proposes, as a person pastes them. */
function flagsIn(text: string, pattern: RegExp): string[] {
	const [, flags = ""] = pattern.exec(text) ?? [];
	return execFileSync("bash", ["-c", `printf '%s\\0' ${flags}`], { encoding: "utf8" })
		.split("\0")
		.slice(0, -1);
}

test("the tables of shelters are imported with their words; one asks for a column", {
	timeout: slowMs, // It starts a program for each table, twice.
}, async (context) => {
	const service = await testService(context);
	const folder = temporaryFolder(context);
	const environment = { ANIMAL_STORE_URL: service.url, ANIMAL_STORE_KEY: service.key };
	const expected: string[] = [];
	for (const { file, path, pets, choice, leftOut } of shelterTables) {
		copyFileSync(path, join(folder, file));
		const run = (flags: string[]) => runProgram(["import", file, ...flags], { environment, folder });
		const columns = choice ? flagsIn((await run([])).stderr, /; (--map \S+) or .* chooses one; /) : [];
		assert.deepEqual(columns, choice ? ["--map", `categoryId=${choice}`] : []);
		const asked = await run(columns);
		const flags = flagsIn(asked.stderr, /to confirm, add (.*); an empty meaning/);
		const imported = await run([...columns, ...flags]);
		assert.equal(imported.code, leftOut > 0 ? 2 : 0, `${asked.stderr}${imported.stderr}`);
		assert.ok(imported.stdout.startsWith(`${file}: ${pets.length} added, 0 already there, ${leftOut} rejected`));
		expected.push(...pets);
	}
	assert.deepEqual(await petsInWords(service), expected);
});
