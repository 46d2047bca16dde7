// `animal-store backup FILE` copies the store consistently, also while the service runs.

import { Command } from "commander";
import { readConfig } from "../config.ts";
import { backupStore } from "../store/open.ts";
import { interruptible } from "./interrupt.ts";

export function backupCommand(): Command {
	return new Command("backup")
		.description(
			"copy the store that DATABASE_URL names to a new file, also while the service runs; restore brings it back",
		)
		.argument("<file>", "the new file")
		.action(async (file: string) => {
			const { databaseUrl } = readConfig();
			const animals = await interruptible("no backup was made", (signal) => backupStore(databaseUrl, file, signal));
			process.stdout.write(`${animals} animals are in ${file}\n`);
		});
}
