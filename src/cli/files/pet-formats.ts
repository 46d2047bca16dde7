// Writes animals as CSV, NDJSON or a JSON array, with exact numbers, so that import can read them.

import { stringify } from "csv-stringify/sync";
import { type Pet, petFields } from "../../contract/pet.ts";

export const formats = ["csv", "ndjson", "json"] as const;
export type Format = (typeof formats)[number];

/** The text of all pages, one piece for each. `import` reads CSV columns in any order and ignores `id`. */
export async function* formatPets(pages: AsyncIterable<Pet[]>, format: Format): AsyncGenerator<string> {
	if (format === "csv") yield csv([petFields]);
	let isFirst = true;
	for await (const pets of pages) {
		if (pets.length === 0) continue;
		if (format === "csv") yield csv(pets.map(cells));
		else if (format === "ndjson") yield pets.map((pet) => `${petJson(pet)}\n`).join("");
		else yield (isFirst ? "[\n" : ",\n") + pets.map(petJson).join(",\n");
		isFirst = false;
	}
	if (format === "json") yield isFirst ? "[]\n" : "\n]\n";
}

/** JSON.stringify with exact int64. TypeScript does not know JSON.rawJSON yet. */
export function petJson(pet: Pet): string {
	const { rawJSON } = JSON as unknown as { rawJSON(text: string): unknown };
	return JSON.stringify(pet, (_name, value) => (typeof value === "bigint" ? rawJSON(String(value)) : value));
}

export function csv(rows: readonly (readonly string[])[]): string {
	return stringify(rows as string[][]);
}

function cells(pet: Pet): string[] {
	return petFields.map((field) => String(pet[field] ?? ""));
}
