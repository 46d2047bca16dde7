// `animal-store import FILE` adds each animal of a file once, in the order of the file. The whole file is checked
// before anything is sent; docs/daily-work.md has the rules, and files/importer.ts sends the rows.

import { basename } from "node:path";
import { type Command, InvalidArgumentError, Option } from "commander";
import { AnimalStoreError, ApiError } from "../../client/src/index.ts";
import { comparedName } from "../contract/equal-texts.ts";
import { newPetFields, type PetStatus, petStatuses } from "../contract/pet.ts";
import { integerOfText } from "../contract/validate.ts";
import type { AskConsole } from "../files/categories.ts";
import { isMappingField, type Mapping } from "../files/columns.ts";
import { type EarlierRows, findEarlier } from "../files/earlier-rows.ts";
import { isDamaged } from "../files/encoding.ts";
import { describeInFile } from "../files/fault-words.ts";
import type { ImportTarget } from "../files/import-request.ts";
import { createImporter, type SettledRow } from "../files/importer.ts";
import { type Proposals, proposeColumns, repeatFinder } from "../files/proposals.ts";
import { exampleOf, type FileRow, type OtherRow, type ReadOptions, readRows, textsOf } from "../files/rows.ts";
import { countUnknownValues, mayBeAnimal, plainValue } from "../files/values.ts";
import { parseDuration, parseIntegerUpTo } from "./arguments.ts";
import { CommandError, Interrupted } from "./command-error.ts";
import { type ConnectionOptions, readConnection, retryForMs, withConnection } from "./connection.ts";
import { categoriesOf, consoleRequests, newCategories, withCategories } from "./console-requests.ts";
import { askEarlier, rowsToSend } from "./import-earlier.ts";
import { explainFileError, type ImportFile, openImportFile, rejectedFile } from "./import-file.ts";
import {
	type Checked,
	confirmProposals,
	countReasons,
	describeFile,
	describeReasons,
	describeUnsent,
	type ImportReport,
	incompleteError,
	type Reasons,
	summary,
} from "./import-report.ts";
import { interruptible } from "./interrupt.ts";
import { importProgress } from "./long-work.ts";
import {
	askOnTerminal,
	countOf,
	examples,
	formatPetTable,
	isOnTerminal,
	printJson,
	printResult,
	quoteWord,
	say,
	toStdout,
} from "./output.ts";

interface ImportOptions extends ConnectionOptions {
	map?: Mapped;
	headerRow?: number;
	sheet?: string;
	category?: string;
	unnamed?: string;
	oncePer?: string;
	oneLine?: boolean;
	createCategories?: boolean;
	dryRun?: boolean;
	skipExisting?: boolean;
	addExisting?: boolean;
	again: number;
	retryFor: number;
	json?: boolean;
}

const someRejectedExitCode = 2;
const previewRows = 3;
const examplesMax = 5;

export function importCommand(command: Command): void {
	command
		.description("add the animals of a CSV, .xlsx, NDJSON or JSON file; run it again within 24 hours to resume")
		.argument("<file>", "the file; - is standard input")
		.option(
			"--map <field=column>",
			`the column of ${newPetFields.join(", ")}, or the meaning of a value: status:verkauft=sold, categoryId:Hund=1; ` +
				"may be repeated",
			parseMapping,
		)
		.option("--create-categories", "create the categories that do not exist yet; the key needs pets:edit")
		.option(
			"--header-row <n>",
			"the row with the column names, 0 for none; by default, the one with known names",
			parseIntegerUpTo(1000, 0),
		)
		.option("--sheet <name>", "the sheet of a workbook; by default, the first with known columns and those like it")
		.option("--category <name>", "the category of animals that have none in the file: a name or a number")
		.option("--unnamed <column>", 'the column that stands in for a missing name; "" leaves these rows out')
		.option("--one-line", "replace the line breaks in names by blanks")
		.option("--once-per <column>", 'one animal for each value of this column, from its last row; "" takes each row')
		.option("--dry-run", "check the file, show its first animals, and send nothing")
		.option("--json", "the result as JSON")
		.option("--skip-existing", "leave out the rows that another file added within 24 hours")
		.option("--add-existing", "add these rows once more: equal rows may be several animals")
		.option(
			"--again <n>",
			"add a file again that was imported within 24 hours: 2 for the second time, 3 for the third",
			parseIntegerUpTo(1000),
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
				"import tiere.xlsx --create-categories --map status:verkauft=sold",
				"import animals.csv.rejected.csv",
				"import - < animals.ndjson",
			),
		)
		.action(importPets);
	withConnection(command);
}

/** What the `--map` flags say: the columns of fields, and the meanings of values. */
interface Mapped {
	columns: Mapping;
	status: Map<string, PetStatus | null>;
	categoryId: Map<string, bigint | null>;
}

function parseMapping(text: string, given?: Mapped): Mapped {
	const mapped: Mapped = given ?? { columns: {}, status: new Map(), categoryId: new Map() };
	const [, word, value = "", meaning = ""] = /^(status|categoryId):(.+)=([^=]*)$/s.exec(text) ?? [];
	const [, field = "", column = ""] = /^([^=]*)=(.*)$/s.exec(text) ?? [];
	if (word === "status") mapped.status.set(plainValue(value), statusOf(meaning));
	else if (word === "categoryId") mapped.categoryId.set(comparedName(value), categoryOf(meaning));
	else if (isMappingField(field)) mapped.columns[field] = columnOf(column);
	else
		throw new InvalidArgumentError(
			`It must be FIELD=COLUMN, where FIELD is ${newPetFields.join(", ")}, or status:VALUE=STATUS, or ` +
				"categoryId:VALUE=NUMBER.",
		);
	return mapped;
}

/** A column by its name, or by its position, such as #3. */
function columnOf(text: string): string | number | null {
	const [, position] = /^#([1-9]\d{0,4})$/.exec(text) ?? [];
	return position === undefined ? text || null : Number(position) - 1;
}

function statusOf(text: string) {
	const status = petStatuses.find((one) => one === text);
	if (status || text === "") return status ?? null;
	throw new InvalidArgumentError(`A status is ${petStatuses.join(", ")}, or empty for none.`);
}

function categoryOf(text: string) {
	const id = integerOfText(text);
	if (id !== undefined || text === "") return id ?? null;
	throw new InvalidArgumentError("Give the number of a category, or nothing to reject such rows.");
}

/** The words of this command line, without `--dry-run` and the key. */
function wordsOf({ parent }: Command): string[] {
	const given = (parent as (Command & { rawArgs: string[] }) | null)?.rawArgs ?? [];
	const isKey = (word: string | undefined) => word === "--key";
	const words = given.filter((word, at) => !isKey(word) && !isKey(given[at - 1]) && !/^--(key=|dry-run$)/.test(word));
	return ["animal-store", ...words];
}

async function importPets(path: string, flags: ImportOptions, command: Command): Promise<void> {
	const connection = readConnectionOf(flags); // First, because this throws if there is no key.
	const onFirst = () => say("stopping; press Ctrl-C again to end at once");
	const work = async (requested: AbortSignal, overdue: AbortSignal) => {
		const file = await openImportFile(path, requested, flags.sheet);
		const ask = connection && consoleRequests({ ...connection, retryForMs });
		const patient = connection && consoleRequests({ ...connection, retryForMs: flags.retryFor });
		const check = async (given: ImportOptions) => {
			const found = await checkWords(file, given, ask, requested);
			const earlier = ask && patient && (await lookEarlier(file, found, given, { ask, patient }, requested));
			for (const line of describeFile(file.name, file.kind, found.checked)) say(line);
			return { ...found, earlier };
		};
		let { checked, options, earlier } = await check(flags);
		const open = describeUnsent(checked, wordsOf(command), flags.createCategories).flags;
		if (open.length > 0 && !flags.dryRun && (await isConfirmed(path, requested))) {
			command.parseOptions(open);
			Object.assign(flags, command.opts());
			({ checked, options, earlier } = await check(flags));
		}
		const unknown = checked.values.list();
		if (flags.dryRun || !ask) return await showDryRun(file, checked, flags, wordsOf(command));
		confirmProposals(file.name, checked, wordsOf(command), flags.createCategories);
		const animals = checked.animals + checked.unclear;
		if (animals + checked.rejected === 0) throw new CommandError(`${file.name}: no row is an animal; nothing was sent`);
		const rejected = rejectedFile(file.name, file.kind);
		if (animals > 0) await checkKey(ask, requested);
		if (checked.rejected > 0) rejected.open(); // Before anything is sent, because the folder may be read-only.
		const categories = await newCategories(ask, unknown);
		const made = categories.filter(({ outcome }) => outcome === "named").map(({ id, name }) => ({ id, name }));
		if (made.length > 0)
			say(`new categories: ${made.map(({ id, name }) => `${JSON.stringify(name)} is ${id}`).join(", ")}`);
		const complete = withCategories(options, categories);
		const url = connection.url.replace(/(\/v1)?\/*$/, "");
		const target = { ...connection, url, retryForMs: flags.retryFor, signal: requested, overdue };
		const result = await addPets(
			file,
			{ animals, repeated: checked.repeated, options: complete, earlier },
			flags,
			target,
			rejected,
		);
		if (flags.json) printJson({ ...result, categories: made });
	};
	await interruptible("nothing was sent", work, onFirst);
}

/** On a terminal, asks whether all proposals are right. Without a terminal, they are not confirmed. */
async function isConfirmed(path: string, signal: AbortSignal): Promise<boolean> {
	if (!isOnTerminal() || path === "-") return false;
	const question = "go on as proposed above? Unknown categories are created, unknown statuses left empty [Y/n]";
	return /^\s*(y(es)?\s*)?$/i.test(await askOnTerminal(question, signal));
}

/** Undefined if a dry run has no valid key or address: then every name of a category is unknown. @throws ConfigError */
function readConnectionOf(flags: ImportOptions): ReturnType<typeof readConnection> | undefined {
	try {
		return readConnection(flags);
	} catch (error) {
		if (!flags.dryRun) throw error;
		return undefined;
	}
}

/** Checks the file. If it has words for categories, checks it again with the names of the service's categories. */
async function checkWords(file: ImportFile, flags: ImportOptions, ask: AskConsole | undefined, signal: AbortSignal) {
	const { map, headerRow } = flags;
	const onJoined = flags.oneLine ? () => {} : undefined;
	const given: ReadOptions = { mapping: map?.columns, values: map, headerRow, onJoined };
	const title = basename(file.name).replace(/\.\w+$/, "");
	const proposals = await proposeColumns({ ...file, title }, given, flags).catch((error) => {
		throw explainFileError(error, file.name);
	});
	const { options } = proposals;
	const checkAll = (complete: ReadOptions) => checkFile(file, { ...proposals, options: complete }, signal);
	const checked = await checkAll(options);
	if (!ask || checked.values.list().every(({ field }) => field !== "categoryId")) return { checked, options };
	const categories = await unlessDry(flags, categoriesOf(ask, signal));
	const values = { ...options.values, numbers: categories && new Set<bigint>() };
	const complete = withCategories({ ...options, values }, categories);
	return { checked: { ...(await checkAll(complete)), categories }, options: complete };
}

/** If the request fails in a dry run, returns undefined, so that the dry run continues. */
async function unlessDry<Reply>({ dryRun }: ImportOptions, request: Promise<Reply>): Promise<Reply | undefined> {
	return request.catch((error) => {
		if (dryRun && error instanceof AnimalStoreError) return undefined;
		throw error;
	});
}

/** Looks for rows that another file has added, and asks about them. A wrong address or key fails at once. */
async function lookEarlier(
	file: ImportFile,
	{ checked, options }: { checked: Checked; options: ReadOptions },
	flags: ImportOptions,
	{ ask, patient }: { ask: AskConsole; patient: AskConsole },
	signal: AbortSignal,
): Promise<EarlierRows["found"] | undefined> {
	if (flags.addExisting || flags.again > 1 || checked.animals + checked.unclear === 0) return undefined;
	const look = async () => {
		await checkKey(ask, signal);
		const sent = rowsToSend(file, checked.repeated, options);
		return await findEarlier(sent, flags.dryRun ? ask : patient, signal).catch((error) => {
			throw explainFileError(error, file.name);
		});
	};
	const earlier = await unlessDry(flags, look());
	if (earlier && !flags.skipExisting) askEarlier(earlier, checked, options);
	return earlier?.found;
}

/** The first pass over the file. @throws CommandError if the file as a whole cannot be imported */
async function checkFile(
	file: ImportFile,
	{ options, questions, standIn, id }: Proposals,
	requested: AbortSignal,
): Promise<Checked> {
	const repeats = id && repeatFinder(id);
	const isConfirmed = id?.isConfirmed === true;
	let [nameless, joined] = [0, 0];
	const checked: Checked = {
		animals: 0,
		unclear: 0,
		rejected: 0,
		first: [],
		examples: [],
		unused: [],
		reasons: countReasons(),
		values: countUnknownValues(),
		damaged: countReasons(),
		others: [],
		otherCount: 0,
		decided: [],
		questions: [...questions],
		repeated: new Set(),
	};
	function check(row: FileRow): void {
		if (checked.repeated.has(row.number)) return;
		if (!isConfirmed) repeats?.add(row);
		const { pet, unknown, faults } = row;
		const { name = "" } = mayBeAnimal(row) ? textsOf(row.given) : {};
		if (mayBeAnimal(row) && checked.examples.length < examplesMax) checked.examples.push(exampleOf(row, options));
		if (isDamaged(name)) checked.damaged.add(row, [{ field: undefined, problem: JSON.stringify(name) }]);
		if (pet) {
			checked.animals++;
			if (checked.animals <= previewRows) checked.first.push(pet);
		} else if (mayBeAnimal(row)) {
			checked.unclear++;
			checked.values.add(unknown ?? {});
		} else {
			checked.rejected++;
			checked.reasons.add(row, faults ?? []);
		}
	}
	async function readAll(reading: ReadOptions, onRow: (row: FileRow) => void): Promise<void> {
		for await (const rows of readRows(file.source, file.kind, reading)) {
			requested.throwIfAborted();
			rows.forEach(onRow);
		}
	}
	try {
		// The repeated rows are found in a pass of their own, because `check` counts only the rows that are added.
		if (repeats && isConfirmed) await readAll(options, repeats.add);
		if (repeats && isConfirmed) checked.repeated = repeats.others;
		const onUnused = (name: string) => void checked.unused.push(name);
		const onFiner = (name: string, finer: readonly string[]) => {
			const others = finer.map((other) => `--map ${quoteWord(`categoryId=${other}`)}`).join(" or ");
			checked.decided.push(`the category is in column ${JSON.stringify(name)}; ${others} takes another`);
		};
		const onNameless = (number: number) => {
			if (!checked.repeated.has(number)) nameless++;
		};
		const onOther = (row: OtherRow) => {
			if (++checked.otherCount <= previewRows) checked.others.push(row);
		};
		const onJoined = () => void joined++;
		const told = { onUnused, onFiner, onOther, onNameless, onJoined };
		await readAll({ ...options, ...told }, check);
	} catch (error) {
		throw explainFileError(error, file.name);
	}
	if (nameless > 0 && standIn !== undefined) {
		const text = `${countOf(nameless, "animal")} without a name: --unnamed "" leaves them out`;
		checked.questions.push({ text, flags: ["--unnamed", standIn] });
	}
	if (joined > 0 && !options.onJoined)
		checked.questions.push({
			text: `${countOf(joined, "name")} with a line break: a blank will replace it`,
			flags: ["--one-line"],
		});
	if (repeats && id && !isConfirmed && repeats.isLikely()) {
		const [rows, animals] = [repeats.animals + repeats.others.size, repeats.animals];
		const counted = `${repeats.isFull() ? "more than " : ""}${countOf(rows, "row")}, ${countOf(animals, "animal")}`;
		const text = `${JSON.stringify(id.name)} repeats: ${counted}; --once-per "" takes each row`;
		checked.questions.push({ text, flags: ["--once-per", id.name] });
	}
	const { size } = checked.repeated;
	if (size > 0)
		checked.decided.push(`left out: ${countOf(size, "row")} with the ${JSON.stringify(id?.name)} of another row`);
	if (options.fallback?.name === null && nameless > 0)
		checked.decided.push(`left out: ${countOf(nameless, "row")} without a name`);
	return checked;
}

/** Sends one request before all rows, so that a wrong address or key fails at once and not after `--retry-for`. */
async function checkKey(ask: AskConsole, signal: AbortSignal): Promise<void> {
	await ask("/console/key", { signal }).catch((error) => {
		// Not thrown, because the import itself explains that the endpoint is missing, and waits while the service is busy.
		if (!(error instanceof ApiError && [404, 429, 503].includes(error.status))) throw error;
	});
}

async function showDryRun(file: ImportFile, checked: Checked, flags: ImportOptions, command: string[]): Promise<void> {
	const { animals, unclear, rejected, first, reasons, unused, questions } = checked;
	const unknown = checked.values.list();
	if (unclear + rejected + questions.length > 0) process.exitCode = someRejectedExitCode;
	const { message, next } = describeUnsent(checked, command, flags.createCategories);
	if (flags.json) {
		const leftOut = checked.otherCount + checked.repeated.size;
		const counts = { animals, unclear, rejected, leftOut, ignored: unused, unknown };
		return printJson({ ...file.kind, ...counts, reasons: reasons.list(), questions, next });
	}
	await toStdout(formatPetTable([first], newPetFields));
	if (animals > first.length) printResult(false, {}, `and ${countOf(animals - first.length, "more animal")}`);
	printReasons(file, reasons);
	for (const line of [message, ...(next === undefined ? [] : [next])]) say(line);
}

interface ToAdd {
	animals: number;
	repeated: ReadonlySet<number>;
	options: ReadOptions;
	/** Rows that are left out, because other files have added them. */
	earlier: EarlierRows["found"] | undefined;
}

/** The second pass and its report. @returns the result for `--json` */
async function addPets(
	file: ImportFile,
	{ animals, repeated, options, earlier }: ToAdd,
	{ again: round, json }: ImportOptions,
	target: ImportTarget,
	rejected: ReturnType<typeof rejectedFile>,
): Promise<object> {
	const reasons = countReasons();
	const report: ImportReport = { added: 0, alreadyThere: 0 };
	const progress = importProgress(animals);
	function onSettled(rows: SettledRow[]): void {
		for (const settled of rows) {
			const { row, outcome } = settled;
			if (outcome === "rejected") {
				rejected.add(row, describeInFile(row, settled.faults));
				reasons.add(row, settled.faults);
			} else if (outcome === "added") report.added++;
			else {
				report.alreadyThere++;
				report.earlier ??= settled;
			}
		}
		progress.update(report.added + report.alreadyThere, rejected.count);
	}
	const importer = createImporter({ ...rowsToSend(file, repeated, options), round, earlier, onSettled });
	const startedAtMs = performance.now();
	try {
		const isComplete = await importer.run(target).finally(progress.end);
		if (!isComplete) throw new Interrupted("interrupted");
	} catch (error) {
		throw incompleteError(error, report, animals, target.signal.aborted);
	}
	const seconds = (performance.now() - startedAtMs) / 1000;
	const { count, path } = rejected;
	if (count > 0) process.exitCode = someRejectedExitCode;
	if (!json) {
		printResult(false, {}, `${file.name}: ${summary(report, rejected, seconds, round)}`);
		printReasons(file, reasons);
	}
	const { added, alreadyThere } = report;
	const rejectedFile = count > 0 ? path : null;
	const importedAtMs = report.earlier?.atMs;
	return { added, alreadyThere, importedAtMs, rejected: count, rejectedFile, reasons: reasons.list() };
}

function printReasons({ kind }: ImportFile, reasons: Reasons): void {
	for (const line of describeReasons("rejected:", reasons, kind)) say(line);
}
