// The workflows of GitHub. What they run is in scripts of this repository, which are tried without GitHub.

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { run } from "../client/tools.ts";
import { type Proof, program } from "../support/proof.ts";

const linter = "github.com/rhysd/actionlint/cmd/actionlint@v1.7.12";
const folder = `${import.meta.dirname}/../../.github/workflows`;

export const proof: Proof = {
	shows: "actionlint accepts the workflows of GitHub, and each action in them is pinned by a commit",
	needs: [program("go", "golang-go")],
	async prove() {
		await run("go", ["run", linter], folder);
		for (const name of readdirSync(folder))
			for (const [, action] of readFileSync(`${folder}/${name}`, "utf8").matchAll(/uses: (.*)/g))
				assert.match(action ?? "", /@[0-9a-f]{40} # v\d+\.\d+\.\d+$/, name);
		return { linter };
	},
};
