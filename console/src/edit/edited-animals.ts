// The animals that the user has edited. They are shown with their edits until a reply of the list includes the edits.

import type { EditResult } from "../../../src/contract/console.ts";
import type { Pet } from "../../../src/contract/pet.ts";
import { type Edit, editedPet } from "./edits.ts";

/** Edits that are already shown, and wait for their results. */
export interface Expected {
	edits: readonly Edit[];
	/** Each animal after its edit; undefined after a removal. */
	shown: readonly (Pet | undefined)[];
}

/** @param replyOf returns the list's latest reply; a new reply includes all edits whose results have arrived */
export function createEditedAnimals(replyOf: () => unknown) {
	/** Animals by id. `waiting`: the number of edits without a result. `reply`: the list's reply at the last change. */
	const animals = new Map<string, { reply: unknown; now: Pet | undefined; waiting: number }>();

	function put({ id }: Pet, now: Pet | undefined, more: 1 | -1): void {
		const waiting = (animals.get(String(id))?.waiting ?? 0) + more;
		animals.set(String(id), { reply: replyOf(), now, waiting });
	}

	return {
		expect(edits: readonly Edit[]): Expected {
			const shown = edits.map(editedPet);
			for (const [index, { pet }] of edits.entries()) put(pet, shown[index], 1);
			return { edits, shown };
		},
		/** @param results fewer than the edits if the service stopped or failed before the last edit */
		settle({ edits, shown }: Expected, results: readonly EditResult[]): void {
			for (const [index, { pet }] of edits.entries()) {
				const result = results[index];
				const now = animals.get(String(pet.id))?.now;
				// If `now` is not the animal as this edit has shown it, a later edit has set `now`, which stays unchanged.
				put(pet, now !== shown[index] ? now : result ? result.pet : pet, -1);
			}
		},
		/** Whether an edit of the animal has no result yet. */
		isWaiting: (id: bigint) => (animals.get(String(id))?.waiting ?? 0) > 0,
		/** The animals with their edits, without removed animals. */
		edited: (pets: readonly Pet[]): Pet[] =>
			pets.flatMap((pet) => {
				const found = animals.get(String(pet.id));
				if (!found || (found.waiting === 0 && found.reply !== replyOf())) return [pet];
				return found.now ? [found.now] : [];
			}),
	};
}
