// `animal-store backup FILE` makes a consistent copy of the store; `animal-store verify [FILE]` reads a store or a
// backup and reports whether it is sound. Both also work while the service runs. `animal-store restore BACKUP` makes a
// store from a backup, or replaces a damaged or lost store.

import type { Command } from "commander";
import { readConfig } from "../config.ts";
import { CommandError } from "./command-error.ts";
import { type DatabaseOptions, sayStore, withDatabase } from "./connection.ts";
import { longWork } from "./long-work.ts";
import { backupStore, restoreStore } from "./maintenance/backup.ts";
import { type StoreReport, verifyStore } from "./maintenance/verify.ts";
import { countOf, printResult } from "./output.ts";

export function backupCommand(command: Command): void {
	withDatabase(command)
		.description("copy the store of DATABASE_URL to a new file, also while the service runs; restore reads that file")
		.argument("<file>", "the new file")
		.action(backUp);
}

async function backUp(file: string, { json, ...flags }: DatabaseOptions): Promise<void> {
	const { databaseUrl } = readConfig(undefined, flags);
	const animals = await longWork("no backup was made", (work) => backupStore(databaseUrl, file, work));
	printResult(json, { animals, file }, `backed up ${countOf(animals, "animal")} to ${file}`);
}

export function restoreCommand(command: Command): void {
	command
		.description("make the store of DATABASE_URL from a backup; stop the service first")
		.argument("<backup>", "a file that animal-store backup wrote")
		.option("--to <file>", "the file of the store; by default, the one in DATABASE_URL")
		.option("--force", "replace an existing store")
		.action(restore);
	withDatabase(command);
}

interface RestoreOptions extends DatabaseOptions {
	to?: string;
	force?: boolean;
}

async function restore(backup: string, { to, force = false, json, ...flags }: RestoreOptions): Promise<void> {
	const databaseUrl = to === undefined ? readConfig(undefined, flags).databaseUrl : `sqlite:${to}`;
	const animals = await longWork("nothing was restored", (work) =>
		restoreStore(backup, databaseUrl, { ...work, force }),
	);
	sayStore(databaseUrl);
	printResult(json, { animals, backup }, `restored ${countOf(animals, "animal")} from ${backup}`);
}

export function verifyCommand(command: Command): void {
	withDatabase(command)
		.description("read a whole store or backup and report whether it is sound, also while the service runs")
		.argument("[file]", "a store or a backup; the store of DATABASE_URL if absent")
		.action(verify);
}

/** @throws CommandError if the file is not sound */
async function verify(file: string | undefined, { json, ...flags }: DatabaseOptions): Promise<void> {
	const databaseUrl = file === undefined ? readConfig(undefined, flags).databaseUrl : `sqlite:${file}`;
	const report = await longWork("not everything was verified", (work) => verifyStore(databaseUrl, work));
	const { problems } = report;
	if (json || problems.length === 0) printResult(json, report, describe(report));
	if (problems.length === 0) return;
	const found = problems.flatMap((problem) => problem.split("\n")).map((problem) => `found: ${problem}`);
	const damage = `${report.file} is damaged: restore a backup with animal-store restore`;
	throw new CommandError([damage, ...found].join("\n"));
}

function describe(report: StoreReport): string {
	const { file, animals, keys, idempotencyKeys, categories, schema, bytes } = report;
	const found = [countOf(animals, "animal"), countOf(keys, "key"), countOf(idempotencyKeys, "Idempotency-Key")];
	if (categories > 0) found.push(countOf(categories, "category name"));
	return `${file} is sound: ${found.join(", ")}, schema ${schema}, ${countOf(bytes, "byte")}`;
}
