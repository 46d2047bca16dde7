// `animal-store backup FILE` copies the store consistently, also while the service runs.

import { Command } from "commander";
import { readConfig } from "../config.ts";
import { backupStore } from "../store/open.ts";
import { withDatabase } from "./connection.ts";
import { longWork } from "./long-work.ts";
import { countOf } from "./words.ts";

export function backupCommand(): Command {
	const command = new Command("backup")
		.description(
			"copy the store that DATABASE_URL names to a new file, also while the service runs; restore brings it back",
		)
		.argument("<file>", "the new file")
		.option("--json", "the result as JSON")
		.action(async (file: string, { json, ...flags }: { json?: boolean; databaseUrl?: string }) => {
			const { databaseUrl } = readConfig(undefined, flags);
			const animals = await longWork("no backup was made", (work) => backupStore(databaseUrl, file, work));
			const are = animals === 1 ? "is" : "are";
			process.stdout.write(
				json ? `${JSON.stringify({ animals, file })}\n` : `${countOf(animals, "animal")} ${are} in ${file}\n`,
			);
		});
	return withDatabase(command);
}
