// The Idempotency-Keys of a file's rows. A row is known by what it contains, so that a corrected, sorted or cut file
// adds only what is new: the key is a hash of the row's cells, with the number of equal rows before it. If the list has
// ids of its own, the first row with an id has a key made of the id; the service compares its other cells.

import { foldedText } from "../contract/equal-texts.ts";
import { tryParseJson } from "../contract/json.ts";
import { isOfRejection } from "./rejected-rows.ts";
import type { FileRow } from "./rows.ts";
import { textOf } from "./table.ts";

/** SHA-256 of a text, in hex. */
export type Hash = (text: string) => string;

export interface RowKey {
	key: string;
	/** A hash of all cells, if the key is made of the row's id. */
	cells?: string;
}

const keyDigits = 24;
const cellsDigits = 12;

/** Whether a column is named like the id of an animal. Its values do not matter: a corrected file has other ones. */
const isIdName = (name: string) =>
	/^((animal|pet|tier|mascota|ear|(micro)?chip|tag)[^\p{L}]*(nr|number|nummer|numero|id)|microchip|id)$/u.test(
		foldedText(name).trim(),
	);

/**
 * Returns a function that makes the keys of a file's rows in their order.
 * @param round by default 1; a larger number adds equal rows once more
 */
export function createRowKeys(hash: Hash, round = 1): (row: FileRow) => RowKey {
	const countBefore = createCounter();
	const keyOf = (digest: string, before: number) =>
		[digest.slice(0, keyDigits), ...(before > 0 || round > 1 ? [before + 1] : []), ...(round > 1 ? [round] : [])].join(
			"-",
		);
	return (row) => {
		const { id, cells } = contentOf(row);
		const own = hash(cells);
		if (id === undefined) return { key: keyOf(own, countBefore(own)) };
		const digest = hash(`id\0${id}`);
		if (countBefore(digest) > 0) return { key: keyOf(own, countBefore(own)) };
		return { key: keyOf(digest, 0), cells: own.slice(0, cellsDigits) };
	};
}

/** The row's id with its column's name, and all its cells as one text, both as they stand in the file. */
function contentOf({ given: now, original: given = now }: FileRow): { id: string | undefined; cells: string } {
	if (given.text !== undefined) {
		const entries = Object.entries(Object(tryParseJson(given.text).value)).filter(([name]) => !isOfRejection(name));
		const texts = entries.map(([, value]) => textOf(value));
		const idAt = entries.findIndex(([name]) => isIdName(name));
		return joined(entries[idAt]?.[0], texts[idAt], texts);
	}
	const { columns, cells } = given;
	const { idAt, isRejected } = tableOf(columns);
	const own = isRejected ? cells.filter((_, at) => !isOfRejection(columns[at])) : cells;
	return joined(columns[idAt], cells[idAt], own);
}

function joined(idName: string | undefined, id = "", cells: readonly string[]) {
	const text = id.trim();
	// Spreadsheets add empty cells at the end of a row.
	return { id: text === "" ? undefined : `${idName}\0${text}`, cells: cells.join("\0").replace(/\0+$/, "") };
}

const tables = new WeakMap<readonly string[], { idAt: number; isRejected: boolean }>();

function tableOf(columns: readonly string[]) {
	const table = tables.get(columns) ?? { idAt: columns.findIndex(isIdName), isRejected: columns.some(isOfRejection) };
	tables.set(columns, table);
	return table;
}

const parts = 4096;

/**
 * Returns a function that counts how often a hash came before. 8 to 16 bytes are kept for each hash that came once: 64
 * of its bits, of which 12 choose one of many tables, so that growing one never copies all.
 */
export function createCounter(): (digest: string) => number {
	const tables = Array.from({ length: parts }, () => ({ size: 0, marks: new Float64Array(8) }));
	const repeats = new Map<string, number>();
	return (digest) => {
		const table = tables[Number.parseInt(digest.slice(0, 3), 16)] as Table;
		if (add(table, Number.parseInt(digest.slice(3, 16), 16) + 1)) return 0;
		const before = (repeats.get(digest) ?? 0) + 1;
		repeats.set(digest, before);
		return before;
	};
}

interface Table {
	size: number;
	/** The marks, each at its remainder or at the next free place; 0 is free. */
	marks: Float64Array<ArrayBuffer>;
}

/** @returns whether the mark was new */
function add(table: Table, mark: number): boolean {
	const { marks, size } = table;
	const place = placeOf(marks, mark);
	if (marks[place] === mark) return false;
	marks[place] = mark;
	table.size++;
	if (size * 5 < marks.length * 4) return true;
	table.marks = new Float64Array(Math.ceil(marks.length * 1.5));
	for (const one of marks) if (one > 0) table.marks[placeOf(table.marks, one)] = one;
	return true;
}

function placeOf(marks: Float64Array, mark: number): number {
	let place = mark % marks.length;
	while (marks[place] !== 0 && marks[place] !== mark) place = place + 1 === marks.length ? 0 : place + 1;
	return place;
}
