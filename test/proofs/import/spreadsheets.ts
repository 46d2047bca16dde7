// A real spreadsheet program opens an exported workbook: it shows every cell unchanged, and its saved file is imported.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { basename, dirname, extname, join } from "node:path";
import { runWell, startProgram } from "../../support/program.ts";
import { newStore, type Trial } from "../../support/proof.ts";

/** Texts that programs tend to change: formulas, numbers, dates, spaces, character codes, markup. */
const names = [
	"=1+1",
	"@SUM(1)",
	"007",
	"1.5",
	"1,5",
	"1E5",
	"2024-01-02",
	"1/2",
	"TRUE",
	"False",
	"_x0041_",
	"'quoted",
	'  Zoë "the" 🐈 ',
	"<b>&amp;",
];
const numbers = [2n ** 63n - 1n, -(2n ** 63n), 9007199254740993n];

/** LibreOffice shows every cell of an export unchanged, and the file that it saves is imported unchanged. */
export async function proveSpreadsheets(trial: Trial) {
	const { environment, key } = await newStore("animals", trial.folder);
	const { url } = await startProgram(trial, environment);
	const connection = { ANIMAL_STORE_URL: url, ANIMAL_STORE_KEY: key };
	const run = (...parameters: string[]) => runWell(parameters, { environment: connection, folder: trial.folder });
	const animals = names.flatMap((name) =>
		numbers.map((number) => `{"name":${JSON.stringify(name)},"categoryId":${number},"status":"sold"}\n`),
	);
	writeFileSync(join(trial.folder, "animals.ndjson"), animals.join(""));
	await run("import", "animals.ndjson");
	await run("export", "all.xlsx");
	const exported = await run("export", "--format", "csv");

	// The filter's numbers mean: commas, quotes, UTF-8, and the text of each cell as LibreOffice shows it.
	const all = join(trial.folder, "all.xlsx");
	const shown = saveAs(all, "csv", "shown", "Text - txt - csv (StarCalc):44,34,76,1,,0,false,true,false");
	assert.equal(readFileSync(shown, "utf8"), exported);
	await run("import", saveAs(all, "xlsx", "saved"));
	const withoutIds = (lines: string[]) => lines.map((line) => line.replace(/^\d+,/, ""));
	const lines = (await run("export", "--format", "csv")).trimEnd().split("\n").slice(1);
	assert.equal(lines.length, 2 * animals.length);
	assert.deepEqual(withoutIds(lines.slice(animals.length)), withoutIds(lines.slice(0, animals.length)));
	const version = execFileSync("soffice", ["--version"], { encoding: "utf8" }).split(" ")[1];
	return { libreOffice: version, animals: animals.length };
}

/**
 * LibreOffice reads a file, and saves it in another format.
 * @param filter the filter, if it is not the format's default
 * @returns the path of the new file, in a folder `place` next to the old file
 */
function saveAs(path: string, format: string, place: string, filter = ""): string {
	const folder = dirname(path);
	const profile = `-env:UserInstallation=file://${join(folder, "profile")}`;
	const to = ["--convert-to", filter ? `${format}:${filter}` : format, "--outdir", join(folder, place)];
	// LibreOffice inherits no other variables, such as those for the fonts of the tests' browser.
	const env = { PATH: process.env["PATH"], HOME: folder };
	execFileSync("soffice", [profile, "--headless", ...to, path], { stdio: "pipe", env });
	return join(folder, place, `${basename(path, extname(path))}.${format}`);
}
