// Edits of animals, and what becomes of them.

import type { EditResult } from "../../src/contract/console.ts";
import type { Pet } from "../../src/contract/pet.ts";

export type Change =
	| { action: "set-status"; status: Pet["status"] }
	| { action: "set-category"; categoryId: bigint }
	| { action: "rename"; name: string }
	| { action: "remove" };

/** A change of the animal as the person saw it. */
export interface Edit {
	pet: Pet;
	change: Change;
}

export interface Notice {
	text: string;
	isProblem: boolean;
	undo: Edit[];
}

/** The results in the order of the edits: fewer if the service stopped or failed before the others. */
export interface Sent {
	results: readonly EditResult[];
	notice: Notice;
}

/** The animal after the edit; undefined if it is removed. */
export function editedPet({ pet, change }: Edit): Pet | undefined {
	if (change.action === "remove") return undefined;
	const { action: _, ...fields } = change;
	return { ...pet, ...fields };
}

export const stateOf = (status: Pet["status"]) => status ?? "not set";

/** A name may have 255 characters, of which a sentence shows the first. */
export function shortName(name: string): string {
	const letters = [...name];
	return letters.length > 32 ? `${letters.slice(0, 31).join("")}…` : name;
}

export const capitalized = (words: string) => words.charAt(0).toUpperCase() + words.slice(1);
