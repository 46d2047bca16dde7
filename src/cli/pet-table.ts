// Animals for people: an aligned table on a terminal, tab-separated fields in a pipe.

import { styleText } from "node:util";
import { isInt64Schema, Pet as PetSchema, petFields } from "../contract/pet.ts";

type Field = (typeof petFields)[number];
type Cells = Partial<Record<Field, unknown>>;
/** Scripts read them by position, so a field that is added to the contract comes after the others. */
const pipedFields: readonly Field[] = [...new Set<Field>(["id", "categoryId", "status", "name", ...petFields])];
type Pages = AsyncIterable<Cells[]> | Iterable<Cells[]>;

/** One piece of text for each page. Only a terminal gets a header, once. */
export async function* formatTable(
	pages: Pages,
	isTerminal: boolean,
	fields: readonly Field[] = petFields,
): AsyncGenerator<string> {
	// The name comes last, so that wide characters in it do not shift other columns.
	const columns = isTerminal ? [...fields.filter((field) => field !== "name"), "name" as const] : pipedFields;
	let widths: number[] = columns.map((column) => column.length);
	let isFirst = true;
	for await (const pets of pages) {
		if (!isTerminal) {
			yield pets.map((pet) => `${columns.map((column) => pet[column] ?? "").join("\t")}\n`).join("");
			continue;
		}
		const rows = pets.map((pet) => columns.map((column) => escapeControls(String(pet[column] ?? "-"))));
		for (const row of rows) widths = widths.map((width, index) => Math.max(width, row[index]?.length ?? 0));
		if (isFirst && rows.length > 0) yield `${styleText("bold", align(columns, [...columns], widths))}\n`;
		isFirst = false;
		yield rows.map((row) => `${align(columns, row, widths)}\n`).join("");
	}
}

/** Numbers to the right, text to the left; no padding after the last column. */
function align(columns: readonly Field[], cells: string[], widths: number[]): string {
	const padded = columns.map((column, index) => {
		const [cell = "", width = 0] = [cells[index], widths[index]];
		if (index === columns.length - 1) return cell;
		return isInt64Schema(PetSchema.properties[column]) ? cell.padStart(width) : cell.padEnd(width);
	});
	return padded.join("  ");
}

/** Replaces characters that control a terminal or change the direction of text. */
function escapeControls(text: string): string {
	return text.replace(/[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu, "\uFFFD");
}
