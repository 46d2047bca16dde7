// `animal-store restore BACKUP` makes a store from a backup, or replaces a damaged or lost one.

import { Command } from "commander";
import { readConfig } from "../config.ts";
import { restoreStore } from "../store/open.ts";
import { readAuditFile } from "./audit-file.ts";
import { sayStore, withDatabase } from "./connection.ts";
import { interruptible } from "./interrupt.ts";
import { countOf } from "./words.ts";

export function restoreCommand(): Command {
	const command = new Command("restore")
		.description("make the store that DATABASE_URL names from a backup; stop the service first")
		.argument("<backup>", "a file that animal-store backup wrote")
		.option("--to <file>", "the file of the store, instead of that of DATABASE_URL")
		.option("--force", "replace an existing store")
		.option("--audit <file>", "the audit log of the store: what it removed is not restored")
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
	const were = animals === 1 ? "was" : "were";
	process.stdout.write(
		json
			? `${JSON.stringify({ animals, backup })}\n`
			: `${countOf(animals, "animal")} ${were} restored from ${backup}\n`,
	);
}
