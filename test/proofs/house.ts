// A field, a filter and an operation that are added to a copy of the tree; lost promises, which the compiler accepts; the
// commands of the documents; and the workflows of GitHub, whose scripts are in this repository.

import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { checkout } from "../support/checkout.ts";
import type { Proof } from "../support/proof.ts";
import { runTestsOf } from "../support/test-run.ts";

const workflows = join(checkout, ".github/workflows");

export const proof: Proof = {
	shows:
		"the compiler and tests lead from a new field, filter or operation to all of its places; no promise is lost; " +
		"the commands of every document run; each action in the workflows is pinned to a commit",
	isOfCheckout: true,
	async prove({ say }) {
		const texts = globSync(`${workflows}/*.yml`).map((path) => readFileSync(path, "utf8"));
		const actions = texts.join().match(/(?<=uses: ).*/g) ?? [];
		assert.ok(actions.length > 0);
		for (const action of actions) assert.match(action, /@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
		return { tests: await runTestsOf("house", say), actions: actions.length };
	},
};
