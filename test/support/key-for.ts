// Creates an API key for the store at a URL, with the command.

import { runWell } from "./program.ts";

export async function keyFor(databaseUrl: string): Promise<string> {
	const key = await runWell(["keys", "create", "--name", "proof"], { environment: { DATABASE_URL: databaseUrl } });
	return key.trim();
}
