// Computes hashes of a row's content. The service keeps them for a day, to recognise the row after its file was
// corrected, sorted or cut. The hashes do not depend on the sheet, or on the order and the names of the columns.

import { tryParseJson } from "../contract/json.ts";
import { newPetFields } from "../contract/pet.ts";
import { plainName } from "./column-words.ts";
import { isOfRejection } from "./rejected-rows.ts";
import type { FileRow } from "./rows.ts";
import { textOf } from "./table.ts";
import { isNoName } from "./values.ts";

/** SHA-256 of a text, in hex. */
export type Hash = (text: string) => string;

export interface RowContent {
	/** A hash of the animal's fields, and of all cells that are not empty. */
	content: string;
	/** A hash of the id that the row has in its list. */
	listId?: string;
}

const digits = 16;

/** Returns a function that hashes a row as its file has it, without the corrections of a person. */
export function rowHasher(hash: Hash): (row: FileRow) => RowContent {
	const isIdName = remembered((name: string) => idName.test(plainName(name)));
	const idAt = (names: readonly string[]) => names.findIndex(isIdName);
	const placeOf = remembered((columns: readonly string[]) => ({ at: idAt(columns), skipped: skippedOf(columns) }));
	return ({ given: now, original: given = now }) => {
		let { cells } = given;
		let at: number;
		if (given.text === undefined) {
			const found = placeOf(given.columns);
			const id = cells[found.at];
			cells = found.skipped > 0 ? cells.slice(found.skipped) : cells;
			at = id === undefined ? -1 : found.at - found.skipped;
		} else {
			const entries = Object.entries(Object(tryParseJson(given.text).value));
			const own = entries.slice(0, entries.length - rejectionOf(entries));
			cells = own.map(([, value]) => textOf(value));
			at = idAt(own.map(([name]) => name));
		}
		const id = cells[at]?.trim();
		const fields = newPetFields.map((field) => given.cells[given.at[field]] ?? "");
		const filled = cells.filter((cell) => cell !== "").sort();
		return {
			content: hash([...fields, ...filled].join("\0")).slice(0, digits),
			...(id && !isNoName(id) && { listId: hash(`id\0${id}`).slice(0, digits) }),
		};
	};
}

/** Names of columns with the ids of animals. The ids are not looked at, because a corrected file may have other ids. */
const idName =
	/^((animal|pet|tier|mascota|ear|(micro)?chip|tag)[^\p{L}]*(nr|no|number|nummer|numero|id)|microchip|id)$/u;

/** How many cells at the start are not the animal's: line and reason of a rejected row, and the name of its sheet. */
function skippedOf(columns: readonly string[]): number {
	const rejection = isOfRejection(columns[0]) && isOfRejection(columns[1]) ? 2 : 0;
	return rejection + Number(columns[rejection] === "Sheet");
}

/** How many fields at the end of an object are the line and reason of a rejected row. */
function rejectionOf(entries: readonly (readonly [string, unknown])[]): number {
	return entries.at(-2)?.[0] === "line" && entries.at(-1)?.[0] === "reason" ? 2 : 0;
}

function remembered<Given, Result>(compute: (given: Given) => Result): (given: Given) => Result {
	const known = new Map<Given, Result>();
	return (given) => {
		const result = known.get(given) ?? compute(given);
		known.set(given, result);
		return result;
	};
}
