// The runner of the long proofs reports unknown names, unknown options and missing tools.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const script = fileURLToPath(new URL("../prove.ts", import.meta.url));

function prove(parameters: string[], env = process.env) {
	const run = spawnSync(process.execPath, [script, ...parameters], { env, encoding: "utf8", timeout: 60_000 });
	return { code: run.status, output: run.stdout + run.stderr };
}

test("npm run prove: --help lists every proof; a name or option that none has is an error", () => {
	const help = prove(["--help"]);
	assert.equal(help.code, 0);
	for (const file of readdirSync(new URL("../proofs", import.meta.url)))
		assert.match(help.output, new RegExp(`^  ${file.replace(".ts", "")} +\\S`, "m"));
	const wrongName = prove(["--only", "nothing"]);
	assert.equal(wrongName.code, 2);
	assert.match(wrongName.output, /there is no proof nothing: .*crash/);
	const wrongOption = prove(["--only", "calls", "--kills", "2"]);
	assert.equal(wrongOption.code, 2);
	assert.match(wrongOption.output, /calls has no option --kills/);
});

test("npm run prove: a proof whose tools are missing names them, and fails", () => {
	const { code, output } = prove(["--only", "calls"], { ...process.env, PATH: "/nowhere" });
	assert.equal(code, 1);
	assert.match(output, /calls cannot run: .*strace \(Debian package strace\)/);
	assert.match(output, /lacks tools: 1 \(calls\)/);
});
