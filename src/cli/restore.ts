// `animal-store restore BACKUP`: makes the store of a backup, in the place of a damaged or lost one.

import { Command } from "commander";
import { readConfig } from "../config.ts";
import { restoreStore } from "../store/open.ts";
import { interruptible } from "./interrupt.ts";

export function restoreCommand(): Command {
	return new Command("restore")
		.description("make the store that DATABASE_URL names of a backup; stop the service before")
		.argument("<backup>", "the file that backup made")
		.option("--to <file>", "the store's file; default: that of DATABASE_URL")
		.option("--force", "replace the store that is there")
		.action(restore);
}

async function restore(backup: string, { to, force = false }: { to?: string; force?: boolean }): Promise<void> {
	const databaseUrl = to === undefined ? readConfig().databaseUrl : `sqlite:${to}`;
	const animals = await interruptible("nothing was restored", (signal) =>
		restoreStore(backup, databaseUrl, { force, signal }),
	);
	process.stdout.write(`${animals} animals were restored from ${backup}\n`);
}
