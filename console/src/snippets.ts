// An animal as text to copy: exact JSON, and the request that gets it.

import { newPetFields } from "../../client/src/contract.ts";
import { curlWith, inLines } from "../../src/contract/curl.ts";
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

/** A command line that adds an animal with these fields. */
export function createCurlOf(origin: string, pet: NewPet): string {
	return inLines(curlWith(`{${membersOf(newPetFields, pet, ":").join()}}`, `${origin}/v1/pets`));
}
