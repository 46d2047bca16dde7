// Looks for a text in the names of animals, for `/console/find` and exports. The store has no index for it, so every
// animal is read, in steps between which the event loop handles other requests.

import { foldedText } from "../contract/console.ts";
import { parseJson } from "../contract/json.ts";
import { type Filter, filters, optional } from "../contract/operations.ts";
import { type AnyPet, NewPet } from "../contract/pet.ts";
import { Type } from "../contract/schema.ts";
import type { Store } from "../store/store.ts";
import type { Exchange } from "./exchange.ts";
import { createQueryReader } from "./pets.ts";

/** The most animals of one reply. */
const foundMax = 200;
/** A step takes 1 ms. */
export const stepPets = 100;
/** After this time, the reply says how far the search is. */
const searchMs = 100;

const name = Type.String({ minLength: 1, maxLength: 255, description: "a text of 1 to 255 characters" });
/** What selects animals: the filters of the interface, and a text in their names. */
export const searched = { ...optional(filters), name: Type.Optional(name) };

export type Search = Filter & { name?: string; after?: bigint };

const readFindQuery = createQueryReader(
	Type.Object({ ...searched, name, after: Type.Optional(NewPet.properties.categoryId) }),
);

/** Yields each step of a search, which begins after the id `after`. */
export async function* searchPets({ listPets }: Store, { name = "", after = 0n, ...filter }: Search) {
	const wanted = foldedText(name);
	for (let [lastId, isComplete] = [after, false]; !isComplete; ) {
		const { json, ids, hasMore } = await listPets({ ...filter, after: lastId, limit: stepPets });
		const pets = parseJson(json) as AnyPet[];
		const found = wanted === "" ? pets : pets.filter((pet) => foldedText(pet.name).includes(wanted));
		lastId = ids?.last ?? lastId;
		isComplete = !hasMore;
		yield { found, searched: pets.length, lastId, isComplete };
	}
}

/** Answers with the next part of a search. */
export async function find(store: Store, { query }: Exchange): Promise<object> {
	const endAtMs = performance.now() + searchMs;
	const reply = { pets: [] as AnyPet[], searched: 0, lastId: 0n, isComplete: false };
	for await (const { found, searched, lastId, isComplete } of searchPets(store, readFindQuery(query))) {
		reply.pets.push(...found);
		reply.searched += searched;
		Object.assign(reply, { lastId, isComplete });
		if (reply.pets.length > foundMax - stepPets || performance.now() > endAtMs) break;
	}
	return reply;
}
