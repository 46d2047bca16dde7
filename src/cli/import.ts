// `animal-store import FILE`: adds the animals of a file, fast and never twice. The whole file is checked before anything is
// sent; docs/command-line.md tells the rules.

import { Command, Option } from "commander";
import { type AnimalStore, ApiError } from "../../client/src/index.ts";
import { idempotencyHours } from "../contract/operations.ts";
import { durationMs, integerUpTo } from "./arguments.ts";
import { type ConnectionOptions, connect, withConnection } from "./connection.ts";
import { openPetFile, type PetFile } from "./files/pet-file.ts";
import { type Rejected, rejectedFile } from "./files/rejected.ts";
import { importProgress } from "./import-progress.ts";
import { type ImportReport, isKeyGone, sendRows } from "./import-send.ts";
import { type Interruption, watchInterrupt } from "./interrupt.ts";
import { keepAliveFetch } from "./keep-alive-fetch.ts";
import { examples } from "./pets.ts";
import { Interrupted, Refusal, sentences } from "./sentences.ts";

interface ImportOptions extends ConnectionOptions {
	concurrency: number;
	retryFor: number;
}

const concurrencyMax = 256;
const someRejectedExitCode = 2;

export function importCommand(): Command {
	const retryFor = new Option("--retry-for <duration>", "how long to wait for a service that is gone or busy")
		.argParser(durationMs)
		.default(300_000, "5m");
	const command = new Command("import")
		.description("add the animals of a CSV, NDJSON or JSON file; the same file again adds nothing twice for 24 hours")
		.argument("<file>", "the file; - is standard input")
		.option("--concurrency <n>", `requests at once, 1 to ${concurrencyMax}`, integerUpTo(concurrencyMax), 32)
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
	// Without a key, standard input is not even read.
	const asking = connect(options, { fetch: connections.fetch });
	const store = connect(options, { fetch: connections.fetch, retryForMs: options.retryFor });
	const interruption = watchInterrupt(() => console.error("\nstopping; Ctrl-C again ends at once"));
	const { requested } = interruption;
	let file: PetFile | undefined;
	try {
		file = await openPetFile(path, requested);
		const total = await countPets(file, requested);
		if (total > 0) await checkConnection(asking, requested);
		await importFile({ file, total, store, concurrency: options.concurrency, interruption });
	} catch (error) {
		const isEarly = requested.aborted && !(error instanceof Refusal);
		throw isEarly ? new Interrupted("interrupted: nothing was sent") : error;
	} finally {
		await file?.close();
		interruption.end();
		connections.close();
	}
}

/** The first pass. @throws Refusal for a file that is broken as a whole */
async function countPets({ name, rows }: PetFile, requested: AbortSignal): Promise<number> {
	let pets = 0;
	try {
		for await (const { pet } of rows()) {
			requested.throwIfAborted();
			if (pet) pets++;
		}
	} catch (error) {
		throw error instanceof Refusal ? new Refusal(`${name}, ${error.message}; nothing was sent`) : error;
	}
	return pets;
}

/** One question before many creates: a wrong address or key is told at once, not after the long patience of an import. */
async function checkConnection(store: AnimalStore, signal: AbortSignal): Promise<void> {
	await store.listPage({ limit: 1 }, { signal }).catch((error) => {
		// A key that may only write is good enough here, and a busy service is worth waiting for.
		const isGood = error instanceof ApiError && [403, 429, 503].includes(error.status);
		if (!isGood) throw error;
	});
}

interface Import {
	file: PetFile;
	total: number;
	store: AnimalStore;
	concurrency: number;
	interruption: Interruption;
}

/** The second pass, and what became of it. */
async function importFile({ file, total, ...how }: Import): Promise<void> {
	const rejected = rejectedFile(file.name, file.format);
	const progress = importProgress(total);
	const startedAtMs = performance.now();
	const report = await sendRows({
		...how,
		rows: file.rows(),
		digest: file.digest,
		rejected,
		onProgress: ({ added, alreadyThere }) => progress.update(added + alreadyThere, rejected.count),
	}).finally(() => {
		progress.end();
		rejected.close();
	});
	const seconds = (performance.now() - startedAtMs) / 1000;
	if (!report.isComplete) throw stopped(report, { total, rejected, ...how.interruption });
	process.stdout.write(`${file.name}: ${summary(report, rejected, seconds)}\n`);
	if (rejected.count > 0) process.exitCode = someRejectedExitCode;
}

function summary({ added, alreadyThere }: ImportReport, { count, path }: Rejected, seconds: number): string {
	const rate = Math.round((added + alreadyThere) / Math.max(seconds, 0.001));
	const refused = `${count} rejected${count > 0 ? ` (see ${path})` : ""}`;
	return `${added} added, ${alreadyThere} already there, ${refused}, in ${seconds.toFixed(1)} s, ${rate}/s`;
}

function stopped(
	{ added, alreadyThere, stoppedBy }: ImportReport,
	{ total, rejected, requested }: { total: number; rejected: Rejected; requested: AbortSignal },
): Refusal {
	const areIn = `${added + alreadyThere} of ${total} animals are in`;
	const resume = `${areIn}; run it again with the same key within ${idempotencyHours} hours to resume`;
	if (isKeyGone(stoppedBy))
		return new Refusal(
			`${sentences(stoppedBy)}\n${areIn}; the others are in ${rejected.path}: import that with another key, not the whole file, which would add those again`,
		);
	if (requested.aborted) return new Interrupted(`interrupted: ${resume}`);
	return new Refusal([...sentences(stoppedBy), resume].join("\n"));
}
