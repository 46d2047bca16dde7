// Commands in processes of their own: how they end, and what they leave.

import assert from "node:assert/strict";
import { getEventListeners } from "node:events";
import { test } from "node:test";
import { runCommand } from "./command-process.ts";

test("a command fails with its message, or with the way it ended, and leaves no listener", async () => {
	const { signal } = new AbortController();
	await assert.rejects(runCommand(["none"], {}, signal), /unknown command 'none'/);
	assert.equal(getEventListeners(signal, "abort").length, 0);
	const killed = runCommand(["backup", "none"], {}, AbortSignal.abort());
	await assert.rejects(killed, { message: "the backup ended with SIGKILL" });
});
