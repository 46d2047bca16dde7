// Runs every `sh` block of every document: all blocks of a page in order, in one shell, in a new folder, with a running
// service. Other proofs or tests run the blocks that need more (test/support/documents.ts).

import assert from "node:assert/strict";
import { execFile, execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { promisify } from "node:util";
import { checkout } from "../../support/checkout.ts";
import { call } from "../../support/command.ts";
import { commandsOf, pages, runsElsewhere } from "../../support/documents.ts";
import { programOf, startProgram } from "../../support/program.ts";
import { temporaryFolder } from "../../support/service.ts";
import { slowMs } from "../../support/until.ts";

/** Pages whose blocks leave no untracked file. */
const tidy = ["README.md", "docs/programs.md", "docs/embedded-store.md"];

for (const [page, text] of pages) {
	const blocks = commandsOf(text).filter((block) => !runsElsewhere(page, block));
	if (blocks.length === 0) continue;
	const title = `the commands of ${page} run${tidy.includes(page) ? ", and leave no untracked file" : ""}`;
	// Slow: a page has up to twenty commands, and each starts a Node process.
	test(title, { timeout: slowMs }, async (context) => {
		const folder = newClone(context);
		if (page === "docs/daily-work.md") writeFileSync(join(folder, "animals.csv"), "name,categoryId\nMax,1\n");
		const { key } = await newKey(folder, "me");
		const { url } = await startProgram(context, {}, { folder });
		const { id } = await newKey(folder, "other");
		const script = blocks
			.join("\n")
			.replaceAll("pets_…", key)
			.replaceAll("http://127.0.0.1:8080", url)
			.replaceAll(/\bID\b/g, id);
		const { stdout, stderr } = await runShell(folder, script, { ANIMAL_STORE_URL: url, ANIMAL_STORE_KEY: key });
		assert.doesNotMatch(stdout + stderr, /"code":"/, "no reply is an error");
		const untracked = execFileSync("git", ["status", "--porcelain"], { cwd: folder, encoding: "utf8" });
		if (tidy.includes(page)) assert.doesNotMatch(untracked, /^\?\?/m);
	});
}

/** A folder like a new clone, and a folder of commands that replace the commands that npm installs. */
function newClone(context: TestContext): string {
	const folder = temporaryFolder(context);
	const bin = temporaryFolder(context);
	execFileSync("git", ["init", "--quiet"], { cwd: folder });
	copyFileSync(join(checkout, ".gitignore"), join(folder, ".gitignore"));
	execFileSync("git", ["add", ".gitignore"], { cwd: folder });
	mkdirSync(join(folder, "data"));
	const command = `exec "${process.execPath}" "${programOf()}" "$@"\n`;
	writeFileSync(join(bin, "animal-store"), `#!/bin/sh\n${command}`, { mode: 0o755 });
	writeFileSync(join(bin, "npx"), `#!/bin/sh\nshift\n${command}`, { mode: 0o755 });
	programs.set(folder, bin);
	return folder;
}
const programs = new Map<string, string>();

/** Creates a key with the scopes of a first key, which is the key that the pages use. */
async function newKey(folder: string, name: string): Promise<{ id: string; key: string }> {
	const scopes = ["--scopes", "metrics:read,pets:read,pets:write,pets:edit"];
	const { stdout, stderr } = await call(["keys", "create", "--name", name, ...scopes], { folder });
	const [id = ""] = /key_\w+/.exec(stderr) ?? [];
	return { id, key: stdout.trim() };
}

async function runShell(folder: string, script: string, environment: Record<string, string>) {
	const env = { PATH: `${programs.get(folder)}:${process.env["PATH"]}`, HOME: folder, ...environment };
	// -x shows which command failed, or did not end.
	const options = { cwd: folder, env, timeout: 120_000 };
	return promisify(execFile)("bash", ["-eux", "-o", "pipefail", "-c", script], options);
}
