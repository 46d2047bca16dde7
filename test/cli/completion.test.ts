// Completion in a shell. The words that `animal-store completion` proposes are in test/outcomes/commands.txt.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { test } from "node:test";
import { programOf } from "../support/program.ts";

test("bash completes with the script", () => {
	const script = `animal-store() { "${process.execPath}" "${programOf()}" "$@"; }
		source <(animal-store completion bash)
		COMP_WORDS=(animal-store categories na); COMP_CWORD=2; _animal_store; echo "\${COMPREPLY[@]}"`;
	assert.equal(execFileSync("bash", ["-c", script], { encoding: "utf8" }), "name\n");
});
