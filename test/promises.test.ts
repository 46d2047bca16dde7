// The short form of the proofs of docs/promises.md; `npm run prove` runs the long form.

import assert from "node:assert/strict";
import { randomInt } from "node:crypto";
import { join } from "node:path";
import { test } from "node:test";
import { proveCrashes } from "./crash-proof.ts";
import { runProgram, startProgram } from "./program.ts";
import { temporaryFolder } from "./service.ts";

test("an acknowledged animal survives every SIGKILL, and no id or key is used twice", async (context) => {
	const environment = { DATABASE_URL: `sqlite:${join(temporaryFolder(context), "animals.db")}` };
	const key = (await runProgram(["keys", "create", "--name", "proof"], { environment })).stdout.trim();
	const proven = await proveCrashes({
		kills: 20,
		seed: randomInt(2 ** 31),
		key,
		start: () => startProgram(context, environment),
	});
	context.diagnostic(JSON.stringify(proven));
	assert.ok(proven.acknowledged > 1000, "clients were really at work");
	assert.ok(proven.replayed > 0, "retries were really replayed");
});
