// Checks what documents say about commands. The proof `house` runs the commands (test/proofs/house/documents.test.ts).

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { globSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { checkout, read } from "../support/checkout.ts";
import { call } from "../support/command.ts";
import { commandsOf, isProved, pages } from "../support/documents.ts";
import { temporaryFolder } from "../support/service.ts";

const run = promisify(execFile);

test("commands are in blocks of the language sh, which a proof runs", () => {
	const others = ["", "caddy", "go", "haproxy", "http", "json", "nginx", "python", "sh", "ts", "yaml"];
	for (const [page, text] of pages) {
		const fences = [...text.matchAll(/^```(.*)$/gm)].map(([, language = ""]) => language);
		assert.equal(fences.length % 2, 0, page);
		for (const language of fences) assert.ok(others.includes(language), `${page}: ${language}`);
	}
});

test("a block of commands that is pasted into a shell stops at its first failed step", async (context) => {
	const isSequence = (page: string, block: string) => /&&\s*(#.*)?$/m.test(block) || isProved(page, block);
	const blocks = [...pages].flatMap(([page, text]) => commandsOf(text).filter((block) => isSequence(page, block)));
	assert.ok(blocks.length > 20, `${blocks.length} blocks`);
	// No program is found, so every step fails. The programs of a pipe are one step.
	const shell = 'command_not_found_handle() { echo "$1" >> log; return 1; }; date() { :; }; PATH=/none; : > log';
	for (const block of blocks) {
		const folder = temporaryFolder(context);
		await run("bash", ["-c", `${shell}\n${block}`], { cwd: folder }).catch(() => {});
		const tried = readFileSync(join(folder, "log"), "utf8").split("\n").slice(0, -1).sort();
		const steps = tried.join(" ") === "awk npx tail" ? ["a pipe"] : tried;
		assert.ok(steps.length <= 1, `${block} went on: ${steps}`);
		assert.deepEqual(readdirSync(folder), ["log"], `${block} wrote a file`);
	}
});

test("every script, proof and command that a document names exists", async () => {
	const { scripts } = JSON.parse(read("package.json"));
	const proofs = globSync("*.ts", { cwd: join(checkout, "test/proofs") }).map((file) => file.replace(".ts", ""));
	const { stdout: help } = await call(["help"]);
	for (const [page, text] of pages) {
		for (const [, name = ""] of text.matchAll(/npm run (?:--silent )?([\w:]+)/g))
			assert.ok(name in scripts, `${page}: ${name}`);
		for (const [, name = ""] of text.matchAll(/npm run prove -- --only (\S+?)[`\s]/g))
			assert.ok(proofs.includes(name), `${page}: ${name}`);
		for (const [, name = ""] of text.matchAll(/(?:npx |`)animal-store ([a-z]+)/g))
			assert.match(help, new RegExp(`^ +${name}\\b`, "m"), `${page}: ${name}`);
	}
});
