// Writes animals as CSV, NDJSON or a JSON array, with exact numbers, so that an import can read them.

import { petFields } from "../contract/pet.ts";
import { type AnyPet, petJson } from "../contract/pet-json.ts";

export const formats = ["csv", "ndjson", "json"] as const;
export type Format = (typeof formats)[number];

/** The text of all pages, one piece for each. An import reads CSV columns in any order and ignores `id`. */
export async function* formatPets(pages: AsyncIterable<AnyPet[]>, format: Format): AsyncGenerator<string> {
	if (format === "csv") yield csv([petFields]);
	let isFirst = true;
	for await (const pets of pages) {
		if (pets.length === 0) continue;
		if (format === "csv") yield csv(pets.map(cellsOfPet));
		else if (format === "ndjson") yield pets.map((pet) => `${petJson(pet)}\n`).join("");
		else yield (isFirst ? "[\n" : ",\n") + pets.map(petJson).join(",\n");
		isFirst = false;
	}
	if (format === "json") yield isFirst ? "[]\n" : "\n]\n";
}

function cellsOfPet(pet: AnyPet): string[] {
	return petFields.map((field) => String(pet[field] ?? ""));
}

/** Lines of CSV (RFC 4180, with line feeds). */
export function csv(rows: readonly (readonly string[])[], delimiter = ","): string {
	return rows.map((cells) => `${cells.map((cell) => quoteCell(cell, delimiter)).join(delimiter)}\n`).join("");
}

function quoteCell(cell: string, delimiter: string): string {
	const isPlain = !/["\r\n]/.test(cell) && !cell.includes(delimiter);
	return isPlain ? cell : `"${cell.replaceAll('"', '""')}"`;
}
