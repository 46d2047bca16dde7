// Edits of animals, and their results.

import type { EditResult } from "../../src/contract/console.ts";
import type { Pet } from "../../src/contract/pet.ts";

export type Change =
	| { action: "set-status"; status: Pet["status"] }
	| { action: "set-category"; categoryId: bigint }
	| { action: "rename"; name: string }
	| { action: "remove" };

/** A change, with the animal as the user saw it. */
export interface Edit {
	pet: Pet;
	change: Change;
}

export interface Notice {
	text: string;
	isProblem: boolean;
	undo: Edit[];
}

/** In the order of the edits; fewer if the service stopped or failed before the last one. */
export interface Sent {
	results: readonly EditResult[];
	notice: Notice;
}

/** The animal after the edit; undefined after a removal. */
export function editedPet({ pet, change }: Edit): Pet | undefined {
	if (change.action === "remove") return undefined;
	const { action: _, ...fields } = change;
	return { ...pet, ...fields };
}

export const stateOf = (status: Pet["status"]) => status ?? "not set";

/** The start of a name for a sentence; a name may have 255 characters. */
export function shortName(name: string): string {
	const letters = [...name];
	return letters.length > 32 ? `${letters.slice(0, 31).join("")}…` : name;
}

export const capitalized = (words: string) => words.charAt(0).toUpperCase() + words.slice(1);
