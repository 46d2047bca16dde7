// Describes an edit: which animal it changed, and how. The animal is a link if it still exists.

import { useContext } from "preact/hooks";
import type { Change } from "../../../src/contract/console.ts";
import { CategoriesContext } from "../categories/categories.ts";
import { type AnimalsRoute, hashOf } from "../parts/route.ts";
import { shortName } from "../parts/sentences.ts";
import { describeEdit } from "./edits.ts";
import type { Edits } from "./use-edits.ts";

interface ChangeTextProps {
	edit: Change;
	edits: Edits;
	/** The list in which the link opens the animal. */
	list: AnimalsRoute;
}

export function ChangeText({ edit, edits, list }: ChangeTextProps) {
	const { labelOf } = useContext(CategoriesContext);
	const { pet, petId } = edit;
	return (
		<>
			{pet ? (
				<a dir="auto" href={hashOf({ ...list, id: String(petId) })}>
					{shortName(pet.name)}
				</a>
			) : (
				shortName(edits.nameOf(petId) ?? `Animal ${petId}`)
			)}
			: {describeEdit(edit, labelOf)}
		</>
	);
}
