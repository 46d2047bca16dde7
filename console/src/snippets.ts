// An animal as text to copy: exact JSON, and the request that gets it.

import { newPetFields } from "../../client/src/contract.ts";
import type { NewPet, Pet } from "../../src/contract/pet.ts";

/** JSON of an animal, as the service sends it, over several lines. */
export function jsonOf(pet: Pet): string {
	return `{\n  ${membersOf(["id", ...newPetFields], pet, ": ").join(",\n  ")}\n}`;
}

/** Exact, because JSON.stringify does not know bigint. */
function membersOf(fields: readonly (keyof Pet)[], pet: Partial<Pet>, colon: string): string[] {
	return fields.flatMap((field) => {
		const value = pet[field];
		if (value === undefined) return [];
		return [`"${field}"${colon}${typeof value === "bigint" ? value : JSON.stringify(value)}`];
	});
}

/** A command line that gets the page of the list with this animal. @param query of the list, without `?` */
export function curlOf(origin: string, query: string): string {
	return `curl '${origin}/v1/pets${query && `?${query}`}' \\\n  -H "Authorization: Bearer $ANIMAL_STORE_KEY"`;
}

/** A command line that adds an animal with these fields. */
export function createCurlOf(origin: string, pet: NewPet): string {
	const body = `{${membersOf(newPetFields, pet, ":").join()}}`.replaceAll("'", `'\\''`);
	return [
		`curl -X POST '${origin}/v1/pets' \\`,
		'  -H "Authorization: Bearer $ANIMAL_STORE_KEY" \\',
		'  -H "Content-Type: application/json" \\',
		`  -d '${body}'`,
	].join("\n");
}
