// The messages of an import: the kind of the file, the most frequent reasons for rejection, and the counts.

import type { Category } from "../contract/console.ts";
import { idempotencyHours } from "../contract/operations.ts";
import type { NewPet } from "../contract/pet.ts";
import { describeFaults, type Fault } from "../contract/validate.ts";
import { likesOf } from "../files/categories.ts";
import { describeAdded, type PresentRow } from "../files/earlier-rows.ts";
import { FileError, quoteNames } from "../files/encoding.ts";
import { describeInFile } from "../files/fault-words.ts";
import { describeKind, type FileKind } from "../files/formats.ts";
import { ImportFailure } from "../files/import-request.ts";
import type { Question } from "../files/proposals.ts";
import type { FileRow, OtherRow } from "../files/rows.ts";
import { type countUnknownValues, otherStatuses, type UnknownValue, unknownMax, wordFields } from "../files/values.ts";
import { CommandError, describeError, Interrupted } from "./command-error.ts";
import { countOf, quoteWord } from "./output.ts";

interface Reason {
	reason: string;
	rows: number;
	/** The first row with this reason, numbered as in a spreadsheet. */
	firstRow: FileRow["row"];
	/** An example: the message about the first row. */
	example: string;
}

export type Reasons = ReturnType<typeof countReasons>;

const reasonsMax = 1000;
const shownMax = 3;

export function countReasons() {
	const reasons = new Map<string, Reason>();
	return {
		add(found: FileRow, faults: readonly Fault[]): void {
			// Details are left out, because they differ from row to row.
			const reason = describeFaults(faults.map(({ field, problem }) => ({ field, problem })));
			const known = reasons.get(reason);
			if (known) known.rows++;
			else if (reasons.size < reasonsMax)
				reasons.set(reason, { reason, rows: 1, firstRow: found.row, example: describeInFile(found, faults) });
		},
		/** The most frequent first. */
		list: (): Reason[] => [...reasons.values()].sort((one, other) => other.rows - one.rows),
	};
}

/** The title, then lines such as "name must be …, 12 rows, the first is row 20"; nothing if there are no reasons. */
export function describeReasons(title: string, reasons: Reasons, { format }: FileKind): string[] {
	const noun = format === "csv" ? "row" : "line";
	const all = reasons.list();
	if (all.length === 0) return [];
	const lines = all.slice(0, shownMax).map(({ example, rows, firstRow }) => {
		const first = `${noun} ${firstRow}`;
		return `  ${example}, ${rows === 1 ? first : `${countOf(rows, noun)}, the first is ${first}`}`;
	});
	const rest = all.length - lines.length;
	return [title, ...lines, ...(rest > 0 ? [`  and ${countOf(rest, "other reason")}`] : [])];
}

/** The result of the first pass over a file. */
export interface Checked {
	animals: number;
	first: NewPet[];
	/** The first animals in a few words, also those that a person has to confirm. */
	examples: string[];
	/** The number of rows that are animals once a person confirms what their words mean. */
	unclear: number;
	rejected: number;
	/** The columns, or fields of JSON, that are ignored. */
	unused: string[];
	reasons: Reasons;
	/** The texts that are not valid, but may mean a status or a category. */
	values: ReturnType<typeof countUnknownValues>;
	/** The service's categories, if they were asked for. */
	categories?: readonly Category[] | undefined;
	/** Names that have lost letters, in quotes. */
	damaged: Reasons;
	/** The first rows that are no animals, and how many such rows there are. */
	others: OtherRow[];
	otherCount: number;
	/** What was decided without a question, with the flag that changes it. */
	decided: string[];
	questions: Question[];
	/** The rows, by their `number`, that are left out because another row of the same animal is added. */
	repeated: ReadonlySet<number>;
}

const lostLetters = "names that seem to have lost letters (save the table again as CSV UTF-8):";

export function describeFile(name: string, kind: FileKind, checked: Checked): string[] {
	const { animals, rejected, unclear, unused } = checked;
	const rows = (count: number, fate: string) => (count > 0 ? `, ${countOf(count, "row")} to ${fate}` : "");
	const others = rows(unclear, "confirm") + rows(rejected, "reject");
	const ignored = `ignored column${unused.length === 1 ? "" : "s"}: ${quoteNames(unused)}`;
	return [
		`${name}: ${describeKind(kind)}, ${countOf(animals, "animal")}${others}`,
		...(kind.otherSheets ? [`not read: ${quoteNames(kind.otherSheets)}; --sheet NAME reads one of these sheets`] : []),
		...(unused.length > 0 ? [ignored] : []),
		...describeReasons(lostLetters, checked.damaged, kind),
		...describeOthers(checked),
		...checked.decided,
		...(unclear + checked.questions.length > 0 && checked.examples.length > 0
			? [`the first animals: ${checked.examples.join(", ")}`]
			: []),
		...checked.questions.map(({ text, flags }) => `${text}; proposed: ${flags.map(quoteWord).join(" ")}`),
		...describeValues(checked),
	];
}

/** If a field has more unknown words than this, not all are listed one by one. */
const wordsMax = 12;
const wordNouns = { status: ["status", "statuses"], categoryId: ["category", "categories"] };

function describeOthers({ others, otherCount }: Checked): string[] {
	if (otherCount === 0) return [];
	const named = others.map(({ row, text }) => `row ${row} (${JSON.stringify(text.slice(0, 40))})`).join(", ");
	const rest = otherCount - others.length;
	return [`left out, no animals: ${named}${rest > 0 ? ` and ${countOf(rest, "more row")}` : ""}`];
}

const isNew = ({ field, proposed }: UnknownValue) => field === "categoryId" && proposed !== undefined;

function describeValues({ values: counted, categories }: Checked): string[] {
	const values = counted.list();
	const likes = likesOf(
		values.filter(isNew).map(({ text }) => text),
		categories,
	);
	return wordFields.flatMap((field) => {
		const words = values.filter((value) => value.field === field);
		const [noun, nouns] = wordNouns[field];
		const isShown = ({ text }: UnknownValue, at: number) => at < wordsMax || likes.has(text);
		const lines = words.filter(isShown).map(({ text, rows, proposed }) => {
			const where = `${JSON.stringify(text)} in ${countOf(rows, "row")}`;
			const isMeant = field === "status" && proposed !== undefined;
			const like = field === "categoryId" && likes.get(text);
			const unknown = `is an unknown ${noun}${like ? `; but for its accents, it is ${like}` : ""}`;
			return `${where} ${isMeant ? `seems to mean ${proposed ?? "no status"}` : unknown}`;
		});
		const rest = words.length - lines.length;
		return [...lines, ...(rest > 0 ? [`and ${rest} more unknown ${nouns}`] : [])];
	});
}

/** The flags that confirm the proposed meanings. A status without a proposal gets the meaning "no status". */
function confirmingFlags(values: readonly UnknownValue[], createCategories = false): string[] {
	const statuses = values.filter(({ field }) => field === "status");
	const unknown = statuses.filter(({ proposed }) => proposed === undefined);
	const named = unknown.length > wordsMax ? statuses.filter(({ proposed }) => proposed !== undefined) : statuses;
	const meanings = named.map(({ text, proposed }) => `status:${text}=${proposed ?? ""}`);
	if (unknown.length > wordsMax) meanings.push(`status:${otherStatuses}=`);
	const creating = !createCategories && values.some(isNew) ? ["--create-categories"] : [];
	return [...creating, ...meanings.flatMap((meaning) => ["--map", meaning])];
}

/** @param command the words of the command, to which the flags are added */
export function describeUnsent(
	{ values, questions }: Checked,
	command: readonly string[],
	createCategories = false,
): { message: string; next?: string; flags: string[] } {
	const flags = [...questions.flatMap((one) => one.flags), ...confirmingFlags(values.list(), createCategories)];
	if (flags.length === 0) return { message: "nothing was sent", flags };
	const said = [
		"nothing was sent",
		...(flags.some((flag) => flag.startsWith("status:")) ? ["status:TEXT= means no status"] : []),
		...(flags.includes("--create-categories") ? ["--map categoryId:NAME=NUMBER uses an existing category"] : []),
		"to confirm, run:",
	];
	// The flags are inserted before `--`, because no word after `--` is read as a flag.
	const end = command.includes("--") ? command.indexOf("--") : command.length;
	return {
		message: said.join("; "),
		next: command
			.toSpliced(end, 0, ...flags)
			.map(quoteWord)
			.join(" "),
		flags,
	};
}

/** Stops unless a person has confirmed all proposals. @throws CommandError with the command that confirms them */
export function confirmProposals(
	name: string,
	checked: Checked,
	command: readonly string[],
	createCategories = false,
): void {
	const fix = "--map categoryId=COLUMN takes another column; nothing was sent";
	if (checked.values.list().filter(({ field }) => field === "categoryId").length === unknownMax)
		throw new CommandError(`${name}: more than ${unknownMax - 1} unknown categories; ${fix}`);
	const { message, next } = describeUnsent(checked, command, createCategories);
	if (next !== undefined) throw Object.assign(new CommandError(`${name}: ${message}`), { next });
}

export interface ImportReport {
	added: number;
	/** The number of rows that an earlier import, by anyone, has added. */
	alreadyThere: number;
	/** The first of these rows. */
	earlier?: PresentRow | undefined;
}

/** @param round 1 for the first import of the file, 2 for the second */
export function summary(
	{ added, alreadyThere, earlier }: ImportReport,
	{ count, path }: { count: number; path: string },
	seconds: number,
	round: number,
): string {
	const rate = Math.round((added + alreadyThere) / Math.max(seconds, 0.001));
	const refused = `${count} rejected${count > 0 ? ` (see ${path})` : ""}`;
	const when = earlier ? ` (${describeAdded(earlier)})` : "";
	const flag = earlier?.file === undefined ? `--again ${round + 1}` : "--add-existing";
	const again = added === 0 && alreadyThere > 0 ? `\nto add them once more: ${flag}` : "";
	const pace = `in ${seconds.toFixed(1)} s, ${rate}/s`;
	return `${added} added, ${alreadyThere} already there${when}, ${refused}, ${pace}${again}`;
}

/** The error of an import that ended before the end of the file. */
export function incompleteError(
	error: unknown,
	{ added, alreadyThere }: ImportReport,
	animals: number,
	isInterrupted: boolean,
): CommandError {
	const progress = `added ${added + alreadyThere} of ${animals} animals`;
	const resume = `run it again within ${idempotencyHours} hours to resume`;
	if (isInterrupted) return new Interrupted(`interrupted: ${progress}; ${resume}`);
	const [first, ...others] = describeError(error);
	const isExpired = error instanceof ImportFailure && error.kind === "expired";
	// If the file was changed, its rows have new Idempotency-Keys, which do not keep them from being added twice.
	const fix = "remove the rows of the added animals before you import the file again";
	const next = isExpired ? [] : [error instanceof FileError ? fix : resume];
	return new CommandError([[first, progress, ...next].join("; "), ...others].join("\n"));
}
