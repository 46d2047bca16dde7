// `animal-store import FILE` adds the animals of a file, each once. The whole file is checked before anything is sent;
// docs/command-line.md has the rules.

import { Command, Option } from "commander";
import { type AnimalStore, ApiError } from "../../client/src/index.ts";
import { idempotencyHours } from "../contract/operations.ts";
import { parseDuration, parseIntegerUpTo } from "./arguments.ts";
import { CommandError, describeError, Interrupted } from "./command-error.ts";
import { type ConnectionOptions, connect, retryForMs, withConnection } from "./connection.ts";
import { openPetFile, type PetFile } from "./files/pet-file.ts";
import { type Rejected, rejectedFile } from "./files/rejected.ts";
import { importProgress } from "./import-progress.ts";
import { type ImportReport, isKeyRefused, sendRows } from "./import-send.ts";
import { type Interruption, watchInterrupt } from "./interrupt.ts";
import { keepAliveFetch } from "./keep-alive-fetch.ts";
import { examples } from "./pets.ts";

interface ImportOptions extends ConnectionOptions {
	concurrency: number;
	retryFor: number;
}

const concurrencyMax = 256;
const someRejectedExitCode = 2;

export function importCommand(): Command {
	const retryFor = new Option("--retry-for <duration>", "how long to wait for a service that is down or busy")
		.argParser(parseDuration)
		.default(300_000, "5m");
	const command = new Command("import")
		.description("add the animals of a CSV, NDJSON or JSON file; run it again within 24 hours to resume")
		.argument("<file>", "the file; - is standard input")
		.option("--concurrency <n>", `requests at once, 1 to ${concurrencyMax}`, parseIntegerUpTo(concurrencyMax), 32)
		.addOption(retryFor)
		.addHelpText(
			"after",
			examples("import animals.csv", "import animals.csv.rejected.csv", "import - < animals.ndjson"),
		)
		.action(importPets);
	return withConnection(command);
}

async function importPets(path: string, options: ImportOptions): Promise<void> {
	const connections = keepAliveFetch(options.concurrency);
	// Before anything is read: without a key, this throws.
	const store = connect(options, { fetch: connections.fetch, retryForMs: options.retryFor });
	const interruption = watchInterrupt(() => console.error("\nstopping; press Ctrl-C again to end at once"));
	const { requested } = interruption;
	let file: PetFile | undefined;
	try {
		file = await openPetFile(path, requested);
		const total = await countPets(file, requested);
		if (total > 0) await checkConnection(store, requested);
		await importFile({ file, total, store, concurrency: options.concurrency, interruption });
	} catch (error) {
		const isEarly = requested.aborted && !(error instanceof CommandError);
		throw isEarly ? new Interrupted("interrupted: nothing was sent") : error;
	} finally {
		await file?.close();
		interruption.end();
		connections.close();
	}
}

/** The first pass. @throws CommandError when the whole file is unusable */
async function countPets({ name, rows }: PetFile, requested: AbortSignal): Promise<number> {
	let pets = 0;
	try {
		for await (const { pet } of rows()) {
			requested.throwIfAborted();
			if (pet) pets++;
		}
	} catch (error) {
		throw error instanceof CommandError ? new CommandError(`${name}, ${error.message}; nothing was sent`) : error;
	}
	return pets;
}

/** One request before many creates, so that a wrong address or key fails at once and not after `--retry-for`. */
async function checkConnection(store: AnimalStore<"bigint">, signal: AbortSignal): Promise<void> {
	await store.listPage({ limit: 1 }, { signal, retryForMs }).catch((error) => {
		// A key without pets:read may import, and the import waits for a busy service.
		const mayImport = error instanceof ApiError && [403, 429, 503].includes(error.status);
		if (!mayImport) throw error;
	});
}

interface Import {
	file: PetFile;
	total: number;
	store: AnimalStore<"bigint">;
	concurrency: number;
	interruption: Interruption;
}

/** The second pass and its report. */
async function importFile({ file, total, ...rest }: Import): Promise<void> {
	const rejected = rejectedFile(file.name, file.format);
	const progress = importProgress(total);
	const startedAtMs = performance.now();
	const report = await sendRows({
		...rest,
		rows: file.rows(),
		digest: file.digest,
		rejected,
		onProgress: ({ added, alreadyThere }) => progress.update(added + alreadyThere, rejected.count),
	}).finally(() => {
		progress.end();
		rejected.close();
	});
	const seconds = (performance.now() - startedAtMs) / 1000;
	if (!report.isComplete) throw incompleteError(report, { total, rejected, ...rest.interruption });
	process.stdout.write(`${file.name}: ${summary(report, rejected, seconds)}\n`);
	if (rejected.count > 0) process.exitCode = someRejectedExitCode;
}

function summary({ added, alreadyThere }: ImportReport, { count, path }: Rejected, seconds: number): string {
	const rate = Math.round((added + alreadyThere) / Math.max(seconds, 0.001));
	const refused = `${count} rejected${count > 0 ? ` (see ${path})` : ""}`;
	return `${added} added, ${alreadyThere} already there, ${refused}, in ${seconds.toFixed(1)} s, ${rate}/s`;
}

function incompleteError(
	{ added, alreadyThere, stoppedBy }: ImportReport,
	{ total, rejected, requested }: { total: number; rejected: Rejected; requested: AbortSignal },
): CommandError {
	const progress = `${added + alreadyThere} of ${total} animals were added`;
	const resume = `${progress}; run it again with the same key within ${idempotencyHours} hours to resume`;
	if (isKeyRefused(stoppedBy)) {
		const others = `the others are in ${rejected.path}: import that file with another key`;
		const warning = "importing the whole file would add the first ones again";
		return new CommandError(`${describeError(stoppedBy)}\n${progress}; ${others}; ${warning}`);
	}
	if (requested.aborted) return new Interrupted(`interrupted: ${resume}`);
	return new CommandError([...describeError(stoppedBy), resume].join("\n"));
}
