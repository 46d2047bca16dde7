// `animal-store backup FILE`: a consistent copy of the store, also while the service runs.

import { Command } from "commander";
import { readConfig } from "../config.ts";
import { backupStore } from "../store/open.ts";

export function backupCommand(): Command {
	return new Command("backup")
		.description(
			"copy the store that DATABASE_URL names to a new file, also while the service runs; start a service on the copy to restore it",
		)
		.argument("<file>", "the new file")
		.action((file: string) => {
			const animals = backupStore(readConfig().databaseUrl, file);
			process.stdout.write(`${animals} animals are in ${file}\n`);
		});
}
