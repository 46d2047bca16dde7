// An exported workbook in a real spreadsheet program: it shows every cell as it was, and what it saves is imported.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { runProgram, startProgram } from "../support/program.ts";
import { newStore, type Proof, program } from "../support/proof.ts";

/** Texts that programs like to change: formulas, numbers, dates, blanks, codes of characters, markup. */
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

export const proof: Proof = {
	shows: "LibreOffice shows every cell of an export as it was, and what it saves as .xlsx is imported unchanged",
	needs: [program("soffice", "libreoffice-calc")],
	async prove(trial) {
		const { environment, key } = await newStore("animals", trial.folder);
		const { url } = await startProgram(trial, environment);
		const run = async (...parameters: string[]) => {
			const connection = { ANIMAL_STORE_URL: url, ANIMAL_STORE_KEY: key };
			const { code, stdout, stderr } = await runProgram(parameters, { environment: connection, folder: trial.folder });
			assert.equal(code, 0, stderr);
			return stdout;
		};
		const animals = names.flatMap((name) =>
			numbers.map((number) => `{"name":${JSON.stringify(name)},"categoryId":${number},"status":"sold"}\n`),
		);
		writeFileSync(join(trial.folder, "animals.ndjson"), animals.join(""));
		await run("import", "animals.ndjson");
		await run("export", "all.xlsx");
		const exported = await run("export", "--format", "csv");

		const profile = `-env:UserInstallation=file://${join(trial.folder, "profile")}`;
		const convert = (format: string, place: string) => {
			const parameters = [
				profile,
				"--headless",
				"--convert-to",
				format,
				"--outdir",
				join(trial.folder, place),
				"all.xlsx",
			];
			execFileSync("soffice", parameters, {
				cwd: trial.folder,
				stdio: "pipe",
				env: { ...process.env, HOME: trial.folder },
			});
		};
		// Commas, quotes, UTF-8, the text of each cell as it is shown.
		convert("csv:Text - txt - csv (StarCalc):44,34,76,1,,0,false,true,false", "shown");
		const shown = readFileSync(join(trial.folder, "shown/all.csv"), "utf8");
		assert.equal(shown, exported);
		convert("xlsx", "saved");
		await run("import", "saved/all.xlsx");
		const withoutIds = (lines: string[]) => lines.map((line) => line.replace(/^\d+,/, ""));
		const lines = (await run("export", "--format", "csv")).trimEnd().split("\n").slice(1);
		assert.equal(lines.length, 2 * animals.length);
		assert.deepEqual(withoutIds(lines.slice(animals.length)), withoutIds(lines.slice(0, animals.length)));
		const version = execFileSync("soffice", [profile, "--version"], { encoding: "utf8" }).split(" ")[1];
		return { libreOffice: version, animals: animals.length };
	},
};
