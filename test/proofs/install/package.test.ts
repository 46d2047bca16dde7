// The package's tarball: its files and types, and the service that the oldest supported Node and its npm install from it.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type TestContext, test } from "node:test";
import { checkPackage, createPackageFromTarballData } from "@arethetypeswrong/core";
import { publint } from "publint";
import { ask } from "../../support/caller.ts";
import { copyTree, read } from "../../support/checkout.ts";
import { newMachine, oldTools } from "../../support/machine.ts";
import { temporaryFolder } from "../../support/service.ts";
import { proofTestLimitMs } from "../../support/until.ts";

/** Packs a copy of the checkout. @returns the tarball */
function pack(context: TestContext): string {
	const folder = copyTree(join(temporaryFolder(context), "animal-store"));
	execFileSync(process.execPath, ["package/build.ts"], { cwd: folder, stdio: ["ignore", "ignore", "inherit"] });
	const [line = ""] = execFileSync("npm", ["pack", "--ignore-scripts", "--json"], { cwd: folder, encoding: "utf8" })
		.split("\n")
		.filter((text) => text.includes('"filename"'));
	return join(folder, /"filename": "([^"]+)"/.exec(line)?.[1] ?? "");
}

/** The relative links of the documents among these files that lead to no other of them. */
function brokenLinks(files: string[]): string[] {
	const links = files
		.filter((path) => path.endsWith(".md"))
		.flatMap((page) => {
			const found = read(page).matchAll(/\]\((?![a-z]+:|#)([^)#\s]+)|(?:src|href)="(?![a-z]+:|#)([^"#]+)/g);
			return [...found].map(([, target, attribute = ""]) => ({
				page,
				target: join(dirname(page), target ?? attribute),
			}));
		});
	assert.ok(links.length > 100, `${links.length} links`);
	const isThere = (target: string) => files.some((path) => path === target || path.startsWith(join(target, "/")));
	// This page says that the package lacks the tests that it links to.
	const isKnown = (page: string, target: string) => page === "docs/promises.md" && /^(test|src)\/.+\.\w+$/.test(target);
	const broken = links.filter(({ page, target }) => !isThere(target) && !isKnown(page, target));
	return broken.map(({ page, target }) => `${page}: ${target}`);
}

test("the package has JavaScript, types, maps and the console, and serves with Node 20", {
	timeout: proofTestLimitMs, // npm installs the package.
}, async (context) => {
	const tarball = pack(context);
	const files = execFileSync("tar", ["-tzf", tarball], { encoding: "utf8" }).split("\n");
	const sources = files.filter((path) => /test|bench|(?<!\.d|\/docs\/programs\/program)\.tsx?$/.test(path));
	assert.deepEqual(sources, []);
	for (const name of ["main.js", "main.d.ts", "main.js.map"])
		assert.ok(files.includes(`package/lib/src/${name}`), name);
	assert.ok(files.includes("package/lib/dist/console/index.html"));
	assert.deepEqual(brokenLinks(files.map((path) => path.replace("package/", ""))), []);

	const home = temporaryFolder(context);
	const folder = join(home, "empty");
	mkdirSync(folder);
	const machine = newMachine(context, home, folder, oldTools);
	const { code, lines } = await machine.run("npm", "install", "--no-audit", tarball);
	assert.equal(code, 0, lines.join("\n"));
	assert.deepEqual((await machine.run("npx", "animal-store", "--version")).lines, ["1.0.0"]);
	const service = await machine.start("npx", "animal-store", "serve", "--first-key");
	for (const path of ["/console", "/docs", "/docs/reference.css", "/openapi.json"])
		assert.equal((await ask(service.url + path)).status, 200, path);
	await service.stop("SIGTERM", "npm");

	const { messages } = await publint({ pkgDir: join(folder, "node_modules/animal-store"), pack: false, strict: true });
	assert.deepEqual(messages, []);
	const types = await checkPackage(createPackageFromTarballData(readFileSync(tarball)));
	const problems = types.types ? types.problems.map(({ kind }) => kind) : ["no types"];
	// The package has only ES modules, so `require` needs a Node that can load them.
	const others = problems.filter((kind) => kind !== "CJSResolvesToESM" && kind !== "NoResolution");
	assert.deepEqual(others, []);
});
