// Finds rows that another file, imported in the last 24 hours, has added already. The new file may correct the other,
// or equal rows may be two animals, so a person decides before anything is sent. If the new file has already added
// rows, the person has decided.

import {
	describeTime,
	type EarlierResult,
	type Import,
	type ImportedRow,
	type ImportedRows,
} from "../contract/console.ts";
import type { AskConsole } from "./categories.ts";
import { type Hash, rowHasher } from "./row-content.ts";
import type { FileRow } from "./rows.ts";
import { mayBeAnimal } from "./values.ts";

/** The rows of a file, for the search for earlier rows and for the importer. */
export interface RowsToSend {
	rows: AsyncIterable<FileRow[]>;
	file: Pick<Import, "file" | "digest">;
	hash: Hash;
	/** Rows for which this returns false are left out silently. */
	isWanted?: (row: FileRow) => boolean;
}

/** A row that is in the store already. `file`: the file that added it, if it was another file. */
export type PresentRow = EarlierResult & { file?: string };

/** A row that another file added. `different`: it has the id of a row of this file, but other cells. */
export type EarlierRow = Pick<ImportedRow, "id"> & { outcome: "present" | "different"; of: Import };

export interface EarlierRows {
	/** The earlier rows. The key is the `number` that the row has in this file. */
	found: ReadonlyMap<number, EarlierRow>;
	/** The first rows that were found. */
	first: FileRow[];
	/** True if an import of this file has added a row: then the person has decided before. */
	isDecided: boolean;
}

const shownRows = 5;

/**
 * Finds the rows added earlier, even those to be confirmed by a person. If two equal rows were added and the file has
 * three, it finds two.
 * @throws the errors of `ask`, and of reading the file
 */
export async function findEarlier(
	{ rows, file, hash, isWanted = () => true }: RowsToSend,
	ask: AskConsole,
	signal?: AbortSignal,
): Promise<EarlierRows> {
	const found = new Map<number, EarlierRow>();
	const first: FileRow[] = [];
	const byContent = new Map<string, Known[]>();
	const byListId = new Map<string, Known>();
	for await (const { content, listId, id, of } of readImported(`without=${file.digest}`, ask, signal)) {
		const known = { id, of };
		const equal = byContent.get(content);
		if (equal) equal.push(known);
		else byContent.set(content, [known]);
		if (listId !== undefined) byListId.set(listId, known);
	}
	if (byContent.size === 0) return { found, first, isDecided: false };
	let own: ReadonlySet<string> | undefined;
	const hashesOf = rowHasher(hash);
	for await (const piece of rows)
		for (const row of piece) {
			signal?.throwIfAborted();
			if (!isWanted(row) || !(row.pet || mayBeAnimal(row))) continue;
			const { content, listId = "" } = hashesOf(row);
			const equal = byContent.get(content);
			const different = equal ? undefined : byListId.get(listId);
			if (!different && !equal?.length) continue;
			own ??= await readNumbers(file.digest, ask, signal); // Read only if needed: there may be many.
			if (own.has(String(row.number))) continue; // This file added the row, whose key prevents a second animal.
			const present = equal?.pop();
			const earlier = (present ?? different) as Known;
			found.set(row.number, { ...earlier, outcome: present ? "present" : "different" });
			if (first.length < shownRows) first.push(row);
		}
	return { found, first, isDecided: (own?.size ?? 0) > 0 };
}

type Known = Omit<EarlierRow, "outcome">;

async function readNumbers(digest: string, ask: AskConsole, signal?: AbortSignal): Promise<Set<string>> {
	const numbers = new Set<string>();
	for await (const { number } of readImported(`of=${digest}`, ask, signal)) numbers.add(number);
	return numbers;
}

/** @param which the part of the query of `ImportedRows` that selects the files */
async function* readImported(which: string, ask: AskConsole, signal?: AbortSignal) {
	let before: string | undefined;
	do {
		const path = `/console/imports/rows?${which}${before === undefined ? "" : `&before=${before}`}`;
		const reply = ask(path, { signal }).catch((error) => {
			if (Object(error).status !== 404 || before !== undefined) throw error;
			return { rows: [], imports: [] }; // The service is older than this program.
		});
		const { rows, imports, next } = (await reply) as ImportedRows;
		const files = imports.map((one) => ({ ...one, atMs: Number(one.atMs) }));
		for (const { import: index, ...row } of rows) yield { ...row, of: files[Number(index)] as Import };
		before = next;
	} while (before !== undefined);
}

/** For example `2 of 3 rows are already there (Rex, Mia), added today at 14:05 by front desk from list.csv`. */
export function describeFound(
	{ found }: EarlierRows,
	{ of, examples }: { of: string; examples: readonly string[] },
): string {
	const [one] = found.values();
	const different = [...found.values()].filter(({ outcome }) => outcome === "different").length;
	const there = `${found.size} of ${of} ${found.size === 1 ? "is" : "are"} already there (${examples.join(", ")})`;
	const when = one ? `, added ${describeBy(one.of)} from ${one.of.file}` : "";
	return there + when + (different > 0 ? `, ${different} of them with other values under their id` : "");
}

/** For example `this file was imported today at 14:05 by Ann`; for another file, `added today … from list.csv`. */
export function describeAdded({ file, ...row }: PresentRow): string {
	return file === undefined ? `this file was imported ${describeBy(row)}` : `added ${describeBy(row)} from ${file}`;
}

/** For example `today at 14:05 by front desk`. */
function describeBy({ atMs, by }: Pick<EarlierResult, "atMs" | "by">): string {
	return describeTime(atMs, Date.now()) + (by ? ` by ${by}` : "");
}
