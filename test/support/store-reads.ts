// Reads of a store that return animals as objects.

import { parseJson } from "../../src/contract/json.ts";
import type { Pet } from "../../src/contract/pet.ts";
import type { PageQuery, PetPage, Store } from "../../src/store/store.ts";

export function petsOf({ json }: Pick<PetPage, "json">): Pet[] {
	const pets = parseJson(json) as (Pet & { id: number; categoryId: number })[];
	return pets.map((pet) => ({ ...pet, id: BigInt(pet.id), categoryId: BigInt(pet.categoryId) }));
}

export async function readPets(store: Store, query: PageQuery): Promise<Pet[]> {
	return petsOf(await store.listPets(query));
}

export async function readPet(store: Store, id: bigint): Promise<Pet | undefined> {
	const { json } = await store.getPet(id);
	return json === undefined ? undefined : petsOf({ json: `[${json}]` })[0];
}
