// Edits of animals, their results, and descriptions of past edits.

import type { EditResult, PastEdit } from "../../../src/contract/console.ts";
import type { Pet } from "../../../src/contract/pet.ts";
import { shortName, stateOf } from "../parts/sentences.ts";

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
	/** The edits that undo what was done; none after a removal. */
	undo: Edit[];
	/** An animal whose edit was not made, if the animal still exists. */
	about: Pet | undefined;
}

/** Results in the order of the edits. There are fewer if the service stopped or failed before the last edit. */
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

/** The name or the number of a category. */
export type LabelOf = (categoryId: bigint) => string;

export function stateAfter(change: Change, labelOf: LabelOf): string {
	if (change.action === "set-category") return `in ${nameOfCategory(change.categoryId, labelOf)}`;
	return change.action === "set-status" ? stateOf(change.status) : "removed";
}

export const nameOfCategory = (id: bigint, labelOf: LabelOf) =>
	labelOf(id) === String(id) ? `category ${id}` : shortName(labelOf(id));

/** Describes an edit, such as “Moved from Dog to Cat”. */
export function describeEdit(edit: PastEdit, labelOf: (categoryId: bigint | string) => string): string {
	const { action, toStatus, fromCategoryId = "", toCategoryId = "" } = edit;
	if (action === "set-status") return toStatus ? `Marked as ${toStatus}` : `Status ${stateOf(toStatus)}`;
	if (action === "set-category") return `Moved from ${labelOf(fromCategoryId)} to ${labelOf(toCategoryId)}`;
	return action === "rename" ? "Renamed" : "Removed";
}
