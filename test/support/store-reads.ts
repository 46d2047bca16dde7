// Works on a store without a service, and reads animals as objects.

import { parseJson } from "../../src/contract/json.ts";
import type { Pet } from "../../src/contract/pet.ts";
import { openStore } from "../../src/store/open.ts";
import type { PageQuery, PetPage, Store } from "../../src/store/store.ts";

/** Opens a store, works on it and closes it. */
export async function withStore<Result>(databaseUrl: string, work: (store: Store) => Promise<Result>) {
	const store = await openStore(databaseUrl, Date.now);
	return work(store).finally(() => store.close());
}

export function petsOf({ json }: Pick<PetPage, "json">): Pet[] {
	const pets = parseJson(json) as (Pet & { id: number; categoryId: number })[];
	return pets.map((pet) => ({ ...pet, id: BigInt(pet.id), categoryId: BigInt(pet.categoryId) }));
}

export async function readPets(store: Store, query: PageQuery): Promise<Pet[]> {
	return petsOf(await store.listPets(query));
}

/** All animals of a store. */
export const animalsIn = (databaseUrl: string): Promise<Pet[]> =>
	withStore(databaseUrl, (store) => readPets(store, { after: 0n, limit: 1_000_000 }));

export async function readPet(store: Store, id: bigint): Promise<Pet | undefined> {
	const { json } = await store.getPet(id);
	return json === undefined ? undefined : petsOf({ json: `[${json}]` })[0];
}
