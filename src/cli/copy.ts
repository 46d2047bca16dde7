// `animal-store copy` copies a whole store, with the same ids, keys and Idempotency-Keys, to a store of any engine.

import type { Command } from "commander";
import { problemOfDatabaseUrl } from "../config.ts";
import { CommandError } from "./command-error.ts";
import { sayStore } from "./connection.ts";
import { longWork } from "./long-work.ts";
import { copyStore } from "./maintenance/copy.ts";
import { engineOf } from "./maintenance/work.ts";
import { countOf, printResult } from "./output.ts";

export function copyCommand(command: Command): void {
	command
		.description("copy a store to another one and compare both; stop the service first")
		.requiredOption("--from <url>", "the store to copy, such as sqlite:./data/animal-store.db")
		.requiredOption("--to <url>", "an empty store, such as postgres://user:password@host:5432/database")
		.option("--json", "the result as JSON")
		.action(copy);
}

async function copy({ from, to, json }: { from: string; to: string; json?: boolean }): Promise<void> {
	checkUrl("--from", from);
	checkUrl("--to", to);
	const [source, target] = [await engineOf(from), await engineOf(to)];
	await source.refuseOpenStore(from, "copy");
	await target.refuseOpenStore(to, "copy", false);
	const startedAtMs = performance.now();
	const copied = await longWork("nothing was copied", (work) =>
		source.inTransaction(from, "source", (locked) =>
			target.inTransaction(to, "target", (empty) => copyStore(locked, empty, work)),
		),
	);
	sayStore(to);
	const seconds = ((performance.now() - startedAtMs) / 1000).toFixed(1);
	const [pets, keys] = [countOf(copied.pets, "animal"), countOf(copied.keys, "key")];
	const counts = `${pets}, ${keys} and ${countOf(copied.idempotencyKeys, "Idempotency-Key")}`;
	printResult(json, copied, `copied ${counts} in ${seconds} s; both stores agree`);
}

/** The URL is checked here, because Commander's error would print it with the password. @throws CommandError */
function checkUrl(option: string, url: string): void {
	const problem = problemOfDatabaseUrl(url);
	if (problem !== undefined) throw new CommandError(`${option} ${problem}`);
}
