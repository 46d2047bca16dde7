// `animal-store import FILE` adds the animals of a file in its order, each once. The whole file is checked before
// anything is sent; docs/daily-work.md has the rules, and files/importer.ts sends the rows.

import { Command, InvalidArgumentError, Option } from "commander";
import { AnimalStore, ApiError } from "../../client/src/index.ts";
import { newPetFields, petStatuses } from "../contract/pet.ts";
import { describeFaults, type Fault } from "../contract/validate.ts";
import { isMappingField, type Mapping } from "../files/columns.ts";
import { isDamaged } from "../files/encoding.ts";
import { ImportFailure, type ImportTarget } from "../files/import-request.ts";
import { createImporter, type SettledRow, unsent } from "../files/importer.ts";
import { withKey } from "../files/rejected-rows.ts";
import { type FileRow, type ReadOptions, readRows } from "../files/rows.ts";
import { countUnknownValues, plainValue, proposeStatus, type Values } from "../files/values.ts";
import { parseDuration, parseIntegerUpTo } from "./arguments.ts";
import { CommandError, Interrupted } from "./command-error.ts";
import { type ConnectionOptions, readConnection, retryForMs, withConnection } from "./connection.ts";
import { explainFileError, type ImportFile, openImportFile, type RejectedFile, rejectedFile } from "./import-file.ts";
import { importProgress } from "./import-progress.ts";
import {
	type Checked,
	confirmValues,
	countReasons,
	describeFile,
	describeReasons,
	describeUnsent,
	type ImportReport,
	incompleteError,
	type Reasons,
	summary,
} from "./import-report.ts";
import { watchInterrupt } from "./interrupt.ts";
import { countOf, examples, printJson } from "./output.ts";
import { formatPetTable } from "./tables.ts";

interface ImportOptions extends ConnectionOptions {
	map?: Mapped;
	headerRow?: number;
	sheet?: string;
	strict?: boolean;
	dryRun?: boolean;
	again: number;
	retryFor: number;
	json?: boolean;
}

const roundsMax = 1000;
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
		.addOption(
			new Option("--again <n>", "adds a file once more that was imported today: 2 for the second time, 3 for the third")
				.argParser(parseIntegerUpTo(roundsMax))
				.default(1, "1"),
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
	const connection = options.dryRun ? undefined : readConnection(options); // First, because it throws without a key.
	const interruption = watchInterrupt(() => console.error("stopping; press Ctrl-C again to end at once"));
	const { requested } = interruption;
	let file: ImportFile | undefined;
	try {
		file = await openImportFile(path, requested, options.sheet);
		const checked = await checkFile(file, readOptions(options), requested);
		for (const line of describeFile(file.name, file.kind, checked)) console.error(line);
		if (!connection) return await showDryRun(file, checked, options);
		confirmValues(file.name, checked.values.list());
		const url = connection.url.replace(/(\/v1)?\/*$/, "");
		const { overdue } = interruption;
		const target = { ...connection, url, retryForMs: options.retryFor, signal: requested, overdue };
		if (checked.animals > 0) await checkKey(target);
		await addPets(file, checked, options, target);
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
		...{ animals: 0, rejected: 0, unclear: 0, unused: [], reasons: countReasons() },
		...{ values: countUnknownValues(), damaged: countReasons() },
	};
	try {
		const onUnused = (name: string) => void checked.unused.push(name);
		for await (const rows of readRows(file.source, file.kind, { ...options, onUnused })) {
			requested.throwIfAborted();
			for (const row of rows) {
				if (row.pet) {
					checked.animals++;
					if (isDamaged(row.pet.name))
						checked.damaged.add(row, [{ field: undefined, problem: JSON.stringify(row.pet.name) }]);
				} else {
					const { unknownStatus, faults } = row;
					if (unknownStatus !== undefined) checked.values.add(unknownStatus);
					if (unknownStatus !== undefined && faults.length === 1 && proposeStatus(unknownStatus) !== undefined) {
						checked.unclear++;
						continue;
					}
					checked.rejected++;
					checked.reasons.add(row, faults);
				}
			}
		}
	} catch (error) {
		throw explainFileError(error, file.name);
	}
	return checked;
}

/** A request before many rows, so that a wrong address or key fails at once and not after `--retry-for`. */
async function checkKey({ url, key, signal }: ImportTarget): Promise<void> {
	const store = new AnimalStore({ url, key, retryForMs, int64: "bigint" });
	// A key without pets:read may import, and the import waits for a busy service.
	await store.listPage({ limit: 1 }, { signal }).catch((error) => {
		if (!(error instanceof ApiError && [403, 429, 503].includes(error.status))) throw error;
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

/** The second pass and its report. */
async function addPets(
	file: ImportFile,
	{ animals }: Checked,
	options: ImportOptions,
	target: ImportTarget,
): Promise<void> {
	const { again: round, json } = options;
	const rejected = rejectedFile(file.name, file.kind);
	const reasons = countReasons();
	const report: ImportReport = { added: 0, alreadyThere: 0, reasons };
	const progress = importProgress(animals);
	function reject(row: FileRow, faults: Fault[], key?: string): void {
		rejected.add(row, withKey(describeFaults(faults), key));
		reasons.add(row, faults);
	}
	function onSettled(rows: SettledRow[]): void {
		for (const settled of rows) {
			if (settled.faults) reject(settled.row, settled.faults, settled.key);
			else if (settled.outcome === "added") report.added++;
			else {
				report.alreadyThere++;
				report.importedAtMs ??= settled.atMs;
			}
		}
		progress.update(report.added + report.alreadyThere, rejected.count);
	}
	const rows = readRows(file.source, file.kind, readOptions(options));
	const importer = createImporter({ rows, digest: file.digest, round, onSettled });
	const startedAtMs = performance.now();
	try {
		const isComplete = await importer.run(target).finally(progress.end);
		if (!isComplete) throw new Interrupted("interrupted");
	} catch (error) {
		if (isFinal(error))
			for await (const { row, key, mayBeStored } of importer.rest())
				reject(row, row.faults ?? [unsent(mayBeStored)], key);
		const isInterrupted = target.signal.aborted;
		throw incompleteError(error, report, { animals, path: rejected.path, isInterrupted, isFinal: isFinal(error) });
	} finally {
		rejected.close();
	}
	const seconds = (performance.now() - startedAtMs) / 1000;
	if (rejected.count > 0) process.exitCode = someRejectedExitCode;
	if (json) return printJson(resultOf(report, rejected));
	process.stdout.write(`${summary({ name: file.name, report, rejected, seconds, round })}\n`);
	printReasons(file, reasons);
}

/** Running the same import again cannot help: its other rows are saved. */
function isFinal(error: unknown): boolean {
	return error instanceof ImportFailure && (error.kind === "refused" || error.kind === "expired");
}

function resultOf({ added, alreadyThere, importedAtMs, reasons }: ImportReport, { count, path }: RejectedFile) {
	const rejectedFile = count > 0 ? path : null;
	return { added, alreadyThere, importedAtMs, rejected: count, rejectedFile, reasons: reasons.list() };
}

function printReasons({ kind }: ImportFile, reasons: Reasons): void {
	const lines = describeReasons(reasons, kind);
	if (lines.length > 0) console.error(["rejected:", ...lines].join("\n"));
}
