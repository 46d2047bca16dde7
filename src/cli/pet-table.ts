// Animals for people: an aligned table on a terminal, plain fields with tabs between them in a pipe.

import { styleText } from "node:util";
import type { Pet } from "../../client/src/index.ts";
import { isInt64Schema, Pet as PetSchema, petFields } from "../contract/pet.ts";

// The name comes last: however wide its characters are, the columns before it stay in line.
const columns = [...petFields.filter((field) => field !== "name"), "name" as const];

/** One piece of text for each page; the header comes once, and only on a terminal. */
export async function* petsTable(pages: AsyncIterable<Pet[]>, isTerminal: boolean): AsyncGenerator<string> {
	let widths: number[] = columns.map((column) => column.length);
	let isFirst = true;
	for await (const pets of pages) {
		if (!isTerminal) {
			yield pets.map((pet) => `${columns.map((column) => pet[column] ?? "").join("\t")}\n`).join("");
			continue;
		}
		const rows = pets.map((pet) => columns.map((column) => visible(String(pet[column] ?? "-"))));
		for (const row of rows) widths = widths.map((width, index) => Math.max(width, row[index]?.length ?? 0));
		if (isFirst && rows.length > 0) yield `${styleText("bold", aligned([...columns], widths))}\n`;
		isFirst = false;
		yield rows.map((row) => `${aligned(row, widths)}\n`).join("");
	}
}

/** Numbers to the right, texts to the left; nothing stands behind the last column. */
function aligned(cells: string[], widths: number[]): string {
	const padded = columns.map((column, index) => {
		const [cell = "", width = 0] = [cells[index], widths[index]];
		if (index === columns.length - 1) return cell;
		return isInt64Schema(PetSchema.properties[column]) ? cell.padStart(width) : cell.padEnd(width);
	});
	return padded.join("  ");
}

/** A name may hold what terminals take for commands, or what turns the direction of the text. */
function visible(text: string): string {
	return text.replace(/[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu, "\uFFFD");
}
