// Completion in a shell: the words that `animal-store completion` proposes.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { test } from "node:test";
import { callWell } from "../support/command.ts";
import { programOf } from "../support/program.ts";

test("commands, subcommands and options that fit what was typed are proposed; nothing else is", async () => {
	for (const [line, expected] of [
		["ke", ["keys"]],
		["keys r", ["rotate", "revoke"]],
		["keys create --na", ["--name"]],
		["--env-file settings pets set-s", ["set-status"]],
		["keys create --name x --en", ["--env-file"]],
		["completion w", []],
		["backup data/", []],
	] as const) {
		const found = await callWell(["completion", "words", "--", ...line.split(" ")]);
		assert.deepEqual(found.split("\n").slice(0, -1), expected, line);
	}
});

test("bash completes with the script", () => {
	const script = `animal-store() { "${process.execPath}" "${programOf()}" "$@"; }
		source <(animal-store completion bash)
		COMP_WORDS=(animal-store categories na); COMP_CWORD=2; _animal_store; echo "\${COMPREPLY[@]}"`;
	assert.equal(execFileSync("bash", ["-c", script], { encoding: "utf8" }), "name\n");
});

test("the scripts of the other shells are for this command", async () => {
	assert.match(await callWell(["completion", "zsh"]), /\ncompdef _animal_store animal-store\n$/);
	assert.match(await callWell(["completion", "fish"]), /\ncomplete --command animal-store --arguments /);
});
