// Creates an API key for the store at a URL, with the command.

import assert from "node:assert/strict";
import { runProgram } from "./program.ts";

export async function keyFor(databaseUrl: string): Promise<string> {
	const { stdout, stderr } = await runProgram(["keys", "create", "--name", "proof"], {
		environment: { DATABASE_URL: databaseUrl },
	});
	assert.ok(stdout, stderr);
	return stdout.trim();
}
