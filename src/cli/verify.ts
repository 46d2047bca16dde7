// `animal-store verify [FILE]` reads a whole store or backup, and reports whether it is sound.

import { Command } from "commander";
import { readConfig } from "../config.ts";
import { CommandError } from "./command-error.ts";
import { withDatabase } from "./connection.ts";
import { longWork } from "./long-work.ts";
import type { StoreReport } from "./maintenance/verify.ts";
import { verifyStore } from "./maintenance/work.ts";
import { countOf } from "./output.ts";

export function verifyCommand(): Command {
	const command = new Command("verify")
		.description("read a whole store or backup and report whether it is sound, also while the service runs")
		.argument("[file]", "a store or a backup; the store of DATABASE_URL if absent")
		.option("--json", "the result as JSON")
		.action(verify);
	return withDatabase(command);
}

interface VerifyOptions {
	json?: boolean;
	databaseUrl?: string;
}

/** @throws CommandError if the file is not sound */
async function verify(file: string | undefined, { json, ...flags }: VerifyOptions): Promise<void> {
	const databaseUrl = file === undefined ? readConfig(undefined, flags).databaseUrl : `sqlite:${file}`;
	const report = await longWork("not everything was verified", (work) => verifyStore(databaseUrl, work));
	if (json) process.stdout.write(`${JSON.stringify(report)}\n`);
	if (report.problems.length > 0) throw new CommandError(describeDamage(report));
	if (!json) process.stdout.write(`${describe(report)}\n`);
}

function describe(report: StoreReport): string {
	const { file, animals, keys, idempotencyKeys, categories, namesToErase, schema, bytes } = report;
	const found = [countOf(animals, "animal"), countOf(keys, "key"), countOf(idempotencyKeys, "Idempotency-Key")];
	if (categories > 0) found.push(countOf(categories, "category name"));
	if (namesToErase > 0) found.push(`${countOf(namesToErase, "name")} to erase`);
	return `${file} is sound: ${found.join(", ")}, schema ${schema}, ${countOf(bytes, "byte")}`;
}

function describeDamage({ file, problems }: StoreReport): string {
	return [
		`${file} is damaged: restore a backup with animal-store restore`,
		...problems.flatMap((problem) => problem.split("\n")).map((problem) => `found: ${problem}`),
	].join("\n");
}
