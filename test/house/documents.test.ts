// Runs every `sh` block of every document: all blocks of a page in order, in one shell, in a new folder, with a running
// service. Proofs or other tests run the blocks that need more; these tests are listed here.

import assert from "node:assert/strict";
import { execFile, execFileSync } from "node:child_process";
import { copyFileSync, existsSync, globSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { promisify } from "node:util";
import { introduction } from "../../openapi/introduction.ts";
import { checkout, read } from "../support/checkout.ts";
import { call } from "../support/command.ts";
import { blocksOf } from "../support/document-blocks.ts";
import { programOf, startProgram } from "../support/program.ts";
import { temporaryFolder } from "../support/service.ts";
import { slowMs } from "../support/until.ts";
import { titlesOfTests } from "./titles.ts";

const run = promisify(execFile);
const pages = new Map([
	...globSync(["*.md", "docs/**/*.md", "client/README.md"], { cwd: checkout })
		.sort()
		.map((path) => [path, read(path)] as const),
	["openapi.json", introduction] as const,
]);

/** Blocks that run elsewhere: the page, the block's first words, and the path of a script or a part of a test's title. */
const elsewhere: [page: string, start: string, by: string][] = [
	["README.md", "npm ci && npm start", "package/try-release.ts"],
	[
		"docs/embedded-store.md",
		"npx animal-store serve",
		"npm 10 and Node 20 install the service without warnings, start it, and end it with npm",
	],
	["docs/postgresql.md", "DATABASE_URL=postgres://", "sslmode controls the check of the server's certificate"],
	["docs/postgresql.md", "npx animal-store copy --from sqlite", "a store can be copied to PostgreSQL and back"],
	["docs/embedded-store.md", "BACKUP_TO=/var/backups/animals", "a failed backup is logged as one error line"],
	["docs/embedded-store.md", "npx animal-store restore", "a backup made under load restores over a crashed store"],
	["docs/kubernetes.md", "cd deploy/kubernetes/postgresql", "kubernetes: the database's address is in a file"],
	[
		"client/README.md",
		"npm install @animal-store/client",
		"the installed client works in every Node from version 20, and Bun and Deno on the PATH",
	],
	["CONTRIBUTING.md", "npm ci", ".ci/run"],
];

const commandsOf = (text: string) => blocksOf(text, "sh");

/** The source of each proof, and the strings in its statements that call `blockOf` or a function named after it. */
const proofs = globSync("test/proofs/*.ts", { cwd: checkout }).map((path) => {
	const text = read(path);
	const calls = text.split(/;\n/).filter((statement) => /block(Of)?\(/i.test(statement));
	return { text, starts: [...calls.join().matchAll(/"([^"\n]+)"/g)].map(([, start = ""]) => start) };
});

/** Whether a proof names the page, and the block's first words for `blockOf`: then the proof runs the block. */
const isProved = (page: string, block: string) =>
	proofs.some(({ text, starts }) => text.includes(page) && starts.some((start) => block.startsWith(start)));

const runsElsewhere = (page: string, block: string) =>
	isProved(page, block) || elsewhere.some(([at, start]) => at === page && block.startsWith(start));

test("commands are in blocks of the language sh, which the tests run", () => {
	const others = ["", "caddy", "go", "haproxy", "http", "json", "nginx", "python", "sh", "ts", "yaml"];
	for (const [page, text] of pages) {
		const fences = [...text.matchAll(/^```(.*)$/gm)].map(([, language = ""]) => language);
		assert.equal(fences.length % 2, 0, page);
		for (const language of fences) assert.ok(others.includes(language), `${page}: ${language}`);
	}
});

test("each block that runs elsewhere exists once, and so does the test or script that runs it", () => {
	const titles = [...titlesOfTests().values()].flat();
	for (const [page, start, by] of elsewhere) {
		const found = commandsOf(pages.get(page) ?? "").filter((block) => block.startsWith(start));
		assert.equal(found.length, 1, `${page}: ${start}`);
		const isThere = by.includes("/") ? existsSync(join(checkout, by)) : titles.some((title) => title.includes(by));
		assert.ok(isThere, `${page} names ${by}`);
	}
});

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
	const options = { cwd: folder, env, timeout: 120_000 };
	return run("bash", ["-eu", "-o", "pipefail", "-c", script], options);
}

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
		const steps = tried.join(" ") === "cut npx tail" ? ["a pipe"] : tried;
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
