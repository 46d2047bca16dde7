// Checks the GitHub workflows. The scripts that they run are in this repository, and are tested without GitHub.

import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { run } from "../client/tools.ts";
import { type Proof, program } from "../support/proof.ts";

const linter = "github.com/rhysd/actionlint/cmd/actionlint@v1.7.12";
const folder = `${import.meta.dirname}/../../.github/workflows`;

export const proof: Proof = {
	shows: "actionlint accepts the GitHub workflows, and each action in them is pinned to a commit",
	needs: [program("go", "golang-go")],
	async prove() {
		await run("go", ["run", linter], folder);
		const texts = globSync(`${folder}/*.yml`).map((path) => readFileSync(path, "utf8"));
		const actions = texts.join().match(/(?<=uses: ).*/g) ?? [];
		for (const action of actions) assert.match(action, /@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
		return { linter, actions: actions.length };
	},
};
