// Converts the rows that both engines read for a page.

import type { Pet } from "../contract/pet.ts";
import { endOfList, type PageQuery, type PetPage } from "./store.ts";

/**
 * @param pets in the direction of the query, with one more than the limit if there are more
 * @param lastIssuedId returns the last id that the store has assigned, as the animals' snapshot shows it
 */
export function toPetPage(pets: Pet[], query: PageQuery, lastIssuedId: () => bigint): PetPage {
	const isLost = mayBeLost(pets, query) && (query.upTo ?? query.after ?? 0n) > lastIssuedId();
	const hasMore = pets.length > query.limit;
	if (hasMore) pets.pop();
	return { pets: query.upTo === undefined ? pets : pets.reverse(), hasMore, ...(isLost && { isLost }) };
}

/** Mostly, the animals show that the id of the query was assigned: one follows it, or one has it. */
function mayBeLost([first]: Pet[], { upTo }: PageQuery): boolean {
	return upTo === undefined ? first === undefined : upTo !== endOfList && first?.id !== upTo;
}
