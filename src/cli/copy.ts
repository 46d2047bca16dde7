// `animal-store copy` copies a whole store to another engine, with its ids, keys and Idempotency-Keys.

import { Command } from "commander";
import { problemOfDatabaseUrl } from "../config.ts";
import { copyStore } from "../store/copy.ts";
import { openStore } from "../store/open.ts";
import { CommandError } from "./command-error.ts";
import { sayStore } from "./connection.ts";
import { createBar } from "./long-work.ts";
import { countOf } from "./output.ts";

export function copyCommand(): Command {
	return new Command("copy")
		.description(
			"copy a store to another one and compare both; stop the service first; if interrupted, run it again to resume",
		)
		.requiredOption("--from <url>", "the store to copy, such as sqlite:./data/animal-store.db")
		.requiredOption("--to <url>", "an empty store, such as postgres://user:password@host:5432/database")
		.option("--json", "the result as JSON")
		.action(copy);
}

async function copy({ from, to, json }: { from: string; to: string; json?: boolean }): Promise<void> {
	checkUrl("--from", from);
	checkUrl("--to", to);
	const source = await openStore(from, Date.now, { verify: "whole", mustExist: true });
	try {
		const target = await openStore(to, Date.now);
		const bar = await createBar("{table} {bar} {percentage}% | {value} of {total} | {rate}/s | {eta_formatted} left");
		const startedAt = performance.now();
		try {
			bar.start(1, 0, { table: "pets", rate: 0 });
			const copied = await copyStore({
				from: source,
				to: target,
				onProgress({ table, done, total }) {
					bar.setTotal(Math.max(total, done, 1));
					bar.update(done, { table, rate: Math.round(done / ((performance.now() - startedAt) / 1000)) });
				},
			});
			bar.stop();
			sayStore(to);
			const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
			if (json) return void process.stdout.write(`${JSON.stringify(copied)}\n`);
			const [pets, keys] = [countOf(copied.pets, "animal"), countOf(copied.keys, "key")];
			const counts = `${pets}, ${keys} and ${countOf(copied.idempotencyKeys, "Idempotency-Key")}`;
			process.stdout.write(`copied ${counts} in ${seconds} s; both stores agree\n`);
		} finally {
			bar.stop();
			await target.close();
		}
	} finally {
		await source.close();
	}
}

/** Commander's own error would print the value, and a password with it. @throws CommandError */
function checkUrl(option: string, url: string): void {
	const problem = problemOfDatabaseUrl(url);
	if (problem !== undefined) throw new CommandError(`${option} ${problem}`);
}
