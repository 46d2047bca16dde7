// Converts the rows that both engines read for a page.

import type { Pet } from "../contract/pet.ts";
import type { PageQuery, PetPage } from "./store.ts";

/** @param pets in the direction of the query, with one more than the limit if there are more */
export function toPetPage(pets: Pet[], { limit, upTo }: PageQuery): PetPage {
	const hasMore = pets.length > limit;
	if (hasMore) pets.pop();
	return { pets: upTo === undefined ? pets : pets.reverse(), hasMore };
}
