// `animal-store import FILE` adds the animals of a file in its order, each once. The whole file is checked before
// anything is sent; docs/daily-work.md has the rules.

import { Command, InvalidArgumentError, Option } from "commander";
import { type AnimalStore, ApiError } from "../../client/src/index.ts";
import { newPetFields, petStatuses } from "../contract/pet.ts";
import { describeFaults } from "../contract/validate.ts";
import { isMappingField, type Mapping } from "../files/columns.ts";
import { newestId } from "../files/creates.ts";
import { isDamaged } from "../files/encoding.ts";
import { unknownCreateOf } from "../files/rejected-rows.ts";
import { type FileRow, type ReadOptions, readRows } from "../files/rows.ts";
import { countUnknownValues, plainValue, proposeStatus, type Values } from "../files/values.ts";
import { parseDuration, parseIntegerUpTo } from "./arguments.ts";
import { CommandError, Interrupted } from "./command-error.ts";
import { type ConnectionOptions, connect, readConnection, retryForMs, withConnection } from "./connection.ts";
import { createPipeline } from "./create-pipeline.ts";
import { explainFileError, type ImportFile, openImportFile, type RejectedFile, rejectedFile } from "./import-file.ts";
import { earlierRows } from "./import-look-up.ts";
import { importProgress } from "./import-progress.ts";
import {
	type Checked,
	confirmValues,
	countReasons,
	describeFile,
	describeReasons,
	describeUnsent,
	incompleteError,
	type Reasons,
	summary,
} from "./import-report.ts";
import { type ImportReport, repeatedForMs, type Sending, sendRows } from "./import-send.ts";
import { watchInterrupt } from "./interrupt.ts";
import { countOf, examples, printJson } from "./output.ts";
import { formatPetTable } from "./tables.ts";

interface ImportOptions extends ConnectionOptions {
	map?: Mapped;
	headerRow?: number;
	sheet?: string;
	strict?: boolean;
	dryRun?: boolean;
	inOrder?: boolean;
	connections: number;
	concurrency: number;
	retryFor: number;
	json?: boolean;
}

/** The service answers that many requests of a connection at once. */
const concurrencyMax = 250;
const connectionsMax = 64;
const someRejectedExitCode = 2;
const previewRows = 3;

export function importCommand(): Command {
	const command = new Command("import")
		.description("add the animals of a CSV, .xlsx, NDJSON or JSON file; run it again within 24 hours to resume")
		.argument("<file>", "the file; - is standard input")
		.option(
			"--map <field=column>",
			`the column of ${newPetFields.join(", ")}, or the meaning of a value: status:verkauft=sold; may be repeated`,
			parseMapping,
		)
		.option(
			"--header-row <n>",
			"the row of a CSV file or sheet that names the columns; found by known names if absent",
			parseIntegerUpTo(1000),
		)
		.option("--sheet <name>", "the sheet of a workbook; the first with known columns if absent")
		.option("--strict", "refuse a file with other columns instead of ignoring them")
		.option("--dry-run", "check the file, show its first animals, and send nothing")
		.option("--json", "the result as JSON")
		.optionsGroup("Speed:")
		.addOption(new Option("--in-order", "wait for each animal before the next one").conflicts(["connections"]))
		.option(
			"--concurrency <n>",
			`requests under way on one connection, 1 to ${concurrencyMax}`,
			parseIntegerUpTo(concurrencyMax),
			concurrencyMax,
		)
		.option(
			"--connections <n>",
			"more than 1: faster behind a proxy, but the order may change",
			parseIntegerUpTo(connectionsMax),
			1,
		)
		.addOption(
			new Option("--retry-for <duration>", "how long to wait for a service that is down or busy")
				.argParser(parseDuration)
				.default(300_000, "5m"),
		)
		.addHelpText(
			"after",
			examples(
				"import animals.csv --dry-run",
				'import animals.csv --map name="Call name" --map categoryId=Kind',
				"import tiere.csv --map status:verkauft=sold --map status:reserviert=pending",
				"import animals.csv.rejected.csv",
				"import - < animals.ndjson",
			),
		)
		.action(importPets);
	return withConnection(command);
}

/** The columns and the meanings of values from `--map`. */
interface Mapped {
	columns: Mapping;
	values: Values;
}

function parseMapping(text: string, { columns, values }: Mapped = { columns: {}, values: new Map() }): Mapped {
	const [, value, status = ""] = /^status:(.+)=([^=]*)$/s.exec(text) ?? [];
	if (value !== undefined) {
		const meaning = status === "" ? null : petStatuses.find((one) => one === status);
		if (meaning !== undefined) return { columns, values: new Map([...values, [plainValue(value), meaning]]) };
		throw new InvalidArgumentError(`A status is ${petStatuses.join(", ")}, or empty for none.`);
	}
	const [, field = "", column = ""] = /^([^=]*)=(.*)$/s.exec(text) ?? [];
	if (!isMappingField(field))
		throw new InvalidArgumentError(
			`It must be FIELD=COLUMN, where FIELD is ${newPetFields.join(", ")}, or status:VALUE=STATUS.`,
		);
	return { values, columns: { ...columns, [field]: column === "" ? null : column } };
}

async function importPets(path: string, options: ImportOptions): Promise<void> {
	// First, because it throws without a key. One client for all: it waits for a service that has replied before.
	const store = options.dryRun
		? undefined
		: connect(options, { retryForMs: Math.min(options.retryFor, repeatedForMs) });
	const interruption = watchInterrupt(() => console.error("stopping; press Ctrl-C again to end at once"));
	const { requested } = interruption;
	let file: ImportFile | undefined;
	try {
		file = await openImportFile(path, requested, options.sheet);
		const checked = await checkFile(file, readOptions(options), requested);
		for (const line of describeFile(file.name, file.kind, checked)) console.error(line);
		if (!store) return await showDryRun(file, checked, options);
		confirmValues(file.name, checked.values.list());
		const newest = checked.animals > 0 ? await checkConnection(store, checked, requested) : undefined;
		await addPets(file, checked, options, { store, newest, interruption });
	} catch (error) {
		const isEarly = requested.aborted && !(error instanceof CommandError);
		throw isEarly ? new Interrupted("interrupted: nothing was sent") : error;
	} finally {
		await file?.close();
		interruption.end();
	}
}

function readOptions({ map, headerRow, strict = false }: ImportOptions): ReadOptions {
	return {
		...(map && { mapping: map.columns, values: map.values }),
		...(headerRow !== undefined && { headerRow }),
		isStrict: strict,
	};
}

/** The first pass. @throws CommandError when the whole file is unusable */
async function checkFile(file: ImportFile, options: ReadOptions, requested: AbortSignal): Promise<Checked> {
	const checked: Checked = {
		...{ animals: 0, earlier: earlierRows(), rejected: 0, unclear: 0, unused: [], reasons: countReasons() },
		...{ values: countUnknownValues(), damaged: countReasons() },
	};
	try {
		const onUnused = (name: string) => void checked.unused.push(name);
		for await (const rows of readRows(file.source, file.kind, { ...options, onUnused })) {
			requested.throwIfAborted();
			for (const row of rows) {
				checked.earlier.take(row);
				if (row.pet) {
					checked.animals++;
					if (isDamaged(row.pet.name)) checked.damaged.add(row, JSON.stringify(row.pet.name));
				} else {
					const { unknownStatus, faults } = row;
					if (unknownStatus !== undefined) checked.values.add(unknownStatus);
					if (unknownStatus !== undefined && faults.length === 1 && proposeStatus(unknownStatus) !== undefined) {
						checked.unclear++;
						continue;
					}
					checked.rejected++;
					checked.reasons.add(row, describeFaults(faults));
				}
			}
		}
	} catch (error) {
		throw explainFileError(error, file.name);
	}
	return checked;
}

/**
 * Requests before many creates, so that a wrong address or key fails at once and not after `--retry-for`.
 * @returns the newest id; undefined if the service refuses to list now
 */
async function checkConnection(
	store: AnimalStore<"bigint">,
	{ earlier }: Checked,
	signal: AbortSignal,
): Promise<bigint | undefined> {
	return newestId(store, { signal, retryForMs }).catch((error) => {
		// A key without pets:read may import if there is nothing to look up, and the import waits for a busy service.
		const mayImport = earlier.count() > 0 ? [429, 503] : [403, 429, 503];
		if (error instanceof ApiError && mayImport.includes(error.status)) return undefined;
		throw error;
	});
}

async function showDryRun(file: ImportFile, checked: Checked, options: ImportOptions): Promise<void> {
	const { animals, unclear, rejected, reasons, unused, values } = checked;
	if (unclear + rejected > 0) process.exitCode = someRejectedExitCode;
	if (options.json)
		return printJson({ ...file.kind, animals, unclear, rejected, ignored: unused, reasons: reasons.list() });
	const first: FileRow[] = [];
	for await (const rows of readRows(file.source, file.kind, readOptions(options))) {
		first.push(...rows.filter(({ pet }) => pet).slice(0, previewRows - first.length));
		if (first.length === previewRows) break;
	}
	const pets = first.flatMap(({ pet }) => (pet ? [pet] : []));
	for await (const text of formatPetTable([pets], true, newPetFields)) process.stdout.write(text);
	if (animals > pets.length) process.stdout.write(`and ${countOf(animals - pets.length, "more animal")}\n`);
	printReasons(file, reasons);
	console.error(describeUnsent(values.list()));
}

/** The rows that no earlier import has sent. */
async function* unsentRows(batches: AsyncGenerator<FileRow[]>): AsyncGenerator<FileRow[], undefined> {
	for await (const rows of batches) yield rows.filter((row) => !unknownCreateOf(row));
}

/** The second pass and its report. */
async function addPets(
	file: ImportFile,
	{ animals, earlier }: Checked,
	options: ImportOptions,
	{ store, newest, interruption }: Pick<Sending, "store" | "newest" | "interruption">,
): Promise<void> {
	const { connections, inOrder, json } = options;
	const concurrency = inOrder ? 1 : options.concurrency;
	const rejected = rejectedFile(file.name, file.kind);
	const reasons = countReasons();
	function reject(row: FileRow, reason: string): void {
		rejected.add(row, reason);
		reasons.add(row, reason);
	}
	const progress = await importProgress(animals);
	const pipeline = await createPipeline({ ...readConnection(options), connections, depth: concurrency });
	const startedAtMs = performance.now();
	const report = await sendRows({
		store,
		pipeline,
		rows: unsentRows(readRows(file.source, file.kind, readOptions(options))),
		digest: file.digest,
		newest,
		concurrency: concurrency * connections,
		interruption,
		reject,
		onAdded: earlier.exclude,
		onProgress: ({ added, alreadyThere }) => progress.update(added + alreadyThere, rejected.count),
	}).finally(async () => {
		progress.end();
		await pipeline.reset();
	});
	await earlier.finish(report, { store, connection: options, reject, signal: interruption.requested });
	rejected.close();
	const seconds = (performance.now() - startedAtMs) / 1000;
	const isInterrupted = interruption.requested.aborted;
	if (!report.isComplete) throw incompleteError(report, { animals, path: rejected.path, isInterrupted });
	if (rejected.count + report.differing > 0) process.exitCode = someRejectedExitCode;
	if (json) return printJson(resultOf(report, rejected, reasons));
	process.stdout.write(`${summary({ name: file.name, report, rejected, seconds })}\n`);
	printReasons(file, reasons);
}

function resultOf(
	{ added, alreadyThere, differing, outOfOrder }: ImportReport,
	{ count, path }: RejectedFile,
	reasons: Reasons,
) {
	const rejectedFile = count > 0 ? path : null;
	return { added, alreadyThere, differing, outOfOrder, rejected: count, rejectedFile, reasons: reasons.list() };
}

function printReasons({ kind }: ImportFile, reasons: Reasons): void {
	const lines = describeReasons(reasons, kind);
	if (lines.length > 0) console.error(["rejected:", ...lines].join("\n"));
}
