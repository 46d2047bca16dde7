// `/console/find`: looks for a text in the names of animals. The store has no index for it, so every animal is read, in
// steps between which the event loop handles other requests.

import { foldedText, foundMax } from "../contract/find.ts";
import { parseJson } from "../contract/json.ts";
import { filters, optional } from "../contract/operations.ts";
import { NewPet } from "../contract/pet.ts";
import { type AnyPet, petJson } from "../contract/pet-json.ts";
import { Type } from "../contract/schema.ts";
import type { Store } from "../store/store.ts";
import type { Handler } from "./exchange.ts";
import { createQueryReader } from "./pets.ts";

/** A step takes 1 to 2 ms. */
const stepPets = 250;
/** After this time, the reply says how far the search is. */
const searchMs = 100;

const readFindQuery = createQueryReader(
	Type.Object({
		...optional(filters),
		name: Type.String({ minLength: 1, maxLength: 255, description: "a text of 1 to 255 characters" }),
		after: Type.Optional(NewPet.properties.categoryId),
	}),
);

export function createFindHandler({ listPets }: Pick<Store, "listPets">): Handler {
	return async (exchange) => {
		const { name, after = 0n, ...filter } = readFindQuery(exchange.query);
		const wanted = foldedText(name);
		const found: string[] = [];
		let searched = 0;
		let lastId: AnyPet["id"] = after;
		let isComplete = false;
		const endAtMs = performance.now() + searchMs;
		do {
			const { json, hasMore } = await listPets({ after: BigInt(lastId), ...filter, limit: stepPets });
			const pets = parseJson(json) as AnyPet[];
			for (const pet of pets) {
				searched++;
				lastId = pet.id;
				if (foldedText(pet.name).includes(wanted) && found.push(petJson(pet)) === foundMax) break;
			}
			isComplete = !hasMore && lastId === (pets.at(-1)?.id ?? lastId);
		} while (!isComplete && found.length < foundMax && performance.now() < endAtMs);
		const progress = `"searched":${searched},"lastId":${lastId},"isComplete":${isComplete}`;
		exchange.header("cache-control", "no-store").sendJson(`{"pets":[${found.join()}],${progress}}`);
	};
}
