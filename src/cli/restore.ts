// `animal-store restore BACKUP` makes a store from a backup, or replaces a damaged or lost one.

import { Command } from "commander";
import { readConfig } from "../config.ts";
import { restoreStore } from "../store/open.ts";
import { interruptible } from "./interrupt.ts";

export function restoreCommand(): Command {
	return new Command("restore")
		.description("make the store that DATABASE_URL names from a backup; stop the service first")
		.argument("<backup>", "a file that animal-store backup wrote")
		.option("--to <file>", "the file of the store; default: the one of DATABASE_URL")
		.option("--force", "replace an existing store")
		.action(restore);
}

async function restore(backup: string, { to, force = false }: { to?: string; force?: boolean }): Promise<void> {
	const databaseUrl = to === undefined ? readConfig().databaseUrl : `sqlite:${to}`;
	const animals = await interruptible("nothing was restored", (signal) =>
		restoreStore(backup, databaseUrl, { force, signal }),
	);
	process.stdout.write(`${animals} animals were restored from ${backup}\n`);
}
