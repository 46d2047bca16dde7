// The first three minutes with the tables that people have: import, filter and export on the command line.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { copyFileSync, openAsBlob, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { readRows } from "../../src/files/rows.ts";
import { readWorkbook } from "../../src/files/workbook.ts";
import { listAll } from "../support/ledger.ts";
import { runProgram } from "../support/program.ts";
import { temporaryFolder, testService } from "../support/service.ts";
import { describePet, petsInWords, shelterTables, spreadsheets } from "../support/spreadsheets.ts";
import { slowMs } from "../support/until.ts";

/** The flags that the import proposes, as a person pastes them. */
function flagsIn(text: string, pattern: RegExp): string[] {
	const [, flags = ""] = pattern.exec(text) ?? [];
	return execFileSync("bash", ["-c", `printf '%s\\0' ${flags}`], { encoding: "utf8" })
		.split("\0")
		.slice(0, -1);
}

test("the tables of shelters are imported with their words, without a category twice, and one asks for a column", {
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
		const flags = flagsIn(asked.stderr, /to confirm these meanings.*?, add (.*); an empty meaning/);
		const imported = await run([...columns, ...flags]);
		assert.equal(imported.code, leftOut > 0 ? 2 : 0, `${asked.stderr}${imported.stderr}`);
		assert.ok(imported.stdout.startsWith(`${file}: ${pets.length} added, 0 already there, ${leftOut} rejected`));
		expected.push(...pets);
	}
	assert.deepEqual(await petsInWords(service), expected);
});

for (const { file, path, kind, pets, rejected } of spreadsheets) {
	test(`${file}: each animal is imported with the meanings that the import proposes, and exported again`, {
		timeout: slowMs, // It starts four programs, one after the other.
	}, async (context) => {
		const service = await testService(context);
		const folder = temporaryFolder(context);
		copyFileSync(path, join(folder, file));
		const environment = { ANIMAL_STORE_URL: service.url, ANIMAL_STORE_KEY: service.key };
		const run = (...parameters: string[]) => runProgram(parameters, { environment, folder });
		const asked = await run("import", file);
		assert.equal(asked.code, 1, asked.stderr);
		assert.ok(asked.stderr.startsWith(`${file}: ${kind}, `), asked.stderr);
		const words = flagsIn(asked.stderr, /to confirm these meanings, add (.*); an empty meaning/);
		const imported = await run("import", file, ...words);
		assert.equal(imported.code, rejected.length > 0 ? 2 : 0, imported.stderr);
		assert.deepEqual((await listAll(service.url, service.key)).map(describePet), pets);
		for (const row of rejected) {
			const lines = readFileSync(join(folder, `${file}.rejected.csv`), "latin1")
				.trim()
				.split("\n");
			assert.equal(lines.length - 1, rejected.length, lines.join("\n"));
			assert.match(imported.stderr, new RegExp(`, row ${row}$`, "m"));
			// In each of them, a cell above has two lines.
			assert.equal(lines.at(-1)?.split(/[,;]/)[0], String(file.endsWith(".xlsx") ? row : row + 1));
		}
		const sold = await run("pets", "list", "--status", "sold", "--csv");
		assert.equal(sold.stdout.split("\n").length - 2, pets.filter((pet) => pet.endsWith(" sold")).length);
		await run("export", "all.xlsx");
		const { source, kind: exported } = await readWorkbook(await openAsBlob(join(folder, "all.xlsx")));
		const rows = (await Array.fromAsync(readRows(source, exported))).flat();
		assert.deepEqual(
			rows.map(({ pet }) => pet && describePet(pet)),
			pets,
		);
	});
}
