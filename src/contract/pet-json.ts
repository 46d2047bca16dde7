// Writes animals as JSON with exact numbers: JSON.stringify does not know bigint.

import { type NewPet, petFields } from "./pet.ts";

/** An animal of the service or of its client, which has numbers where they are exact. */
export type AnyPet = { id: number | bigint; categoryId: number | bigint } & Omit<NewPet, "categoryId">;

const fields = petFields.map((name) => ({ name, start: `,"${name}":` }));

/** The fields are in the order of the contract. */
export function petJson(pet: Omit<AnyPet, "id"> & Partial<AnyPet>): string {
	let text = "";
	for (const { name, start } of fields) {
		const value = pet[name];
		if (value !== undefined) text += start + (typeof value === "bigint" ? value.toString() : JSON.stringify(value));
	}
	return `{${text.slice(1)}}`;
}

export function petsJson(pets: readonly AnyPet[]): string {
	return `[${pets.map(petJson).join()}]`;
}
