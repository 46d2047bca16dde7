// The short form of the proofs of docs/promises.md; `npm run prove` runs the long form.

import assert from "node:assert/strict";
import { test } from "node:test";
import { proveCrashes } from "../proofs/crash.ts";
import { startProgram } from "../support/program.ts";
import { newStore } from "../support/proof.ts";
import { seed } from "../support/random.ts";
import { temporaryFolder } from "../support/service.ts";
import { slowMs } from "../support/until.ts";

test("an acknowledged animal survives every SIGKILL, and no id or key is used twice", {
	timeout: slowMs, // 20 starts and kills.
}, async (context) => {
	const { environment, key } = await newStore("animals", temporaryFolder(context));
	const proven = await proveCrashes({
		kills: 20,
		seed,
		key,
		start: () => startProgram(context, environment),
	});
	context.diagnostic(JSON.stringify(proven));
	assert.ok(proven.acknowledged > 1000, "clients were at work");
	assert.ok(proven.replayed > 0, "retries were replayed");
});
