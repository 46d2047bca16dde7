// `animal-store backup FILE` copies the store consistently, also while the service runs. `animal-store restore BACKUP`
// makes a store from a backup, or replaces a damaged or lost one.

import { Command } from "commander";
import { readConfig } from "../config.ts";
import { readAuditFile } from "./audit.ts";
import { sayStore, withDatabase } from "./connection.ts";
import { interruptible } from "./interrupt.ts";
import { longWork } from "./long-work.ts";
import { backupStore, restoreStore } from "./maintenance/work.ts";
import { countOf } from "./output.ts";

export function backupCommand(): Command {
	const command = new Command("backup")
		.description("copy the store of DATABASE_URL to a new file, also while the service runs; restore reads that file")
		.argument("<file>", "the new file")
		.option("--json", "the result as JSON")
		.action(async (file: string, { json, ...flags }: { json?: boolean; databaseUrl?: string }) => {
			const { databaseUrl } = readConfig(undefined, flags);
			const animals = await longWork("no backup was made", (work) => backupStore(databaseUrl, file, work));
			process.stdout.write(
				json ? `${JSON.stringify({ animals, file })}\n` : `backed up ${countOf(animals, "animal")} to ${file}\n`,
			);
		});
	return withDatabase(command);
}

export function restoreCommand(): Command {
	const command = new Command("restore")
		.description("make the store of DATABASE_URL from a backup; stop the service first")
		.argument("<backup>", "a file that animal-store backup wrote")
		.option("--to <file>", "the file of the store, instead of that of DATABASE_URL")
		.option("--force", "replace an existing store")
		.option("--audit <file>", "the store's edits from audit list --json: the animals they removed are not restored")
		.option("--json", "the result as JSON")
		.action(restore);
	return withDatabase(command);
}

interface RestoreOptions {
	to?: string;
	force?: boolean;
	audit?: string;
	json?: boolean;
	databaseUrl?: string;
}

async function restore(backup: string, { to, force = false, audit, json, ...flags }: RestoreOptions): Promise<void> {
	const databaseUrl = to === undefined ? readConfig(undefined, flags).databaseUrl : `sqlite:${to}`;
	const auditLog = audit === undefined ? undefined : readAuditFile(audit);
	const animals = await interruptible("nothing was restored", (signal) =>
		restoreStore(backup, databaseUrl, { force, auditLog, signal }),
	);
	sayStore(databaseUrl);
	process.stdout.write(
		json ? `${JSON.stringify({ animals, backup })}\n` : `restored ${countOf(animals, "animal")} from ${backup}\n`,
	);
}
