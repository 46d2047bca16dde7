// The fields of an animal as the list and the panel show them.

import type { ComponentChildren } from "preact";
import { useContext } from "preact/hooks";
import type { Pet } from "../../../src/contract/pet.ts";
import { CategoriesContext } from "../categories/categories.ts";
import { CategoryName } from "../categories/category-name.tsx";
import { Opener } from "../parts/button.tsx";
import { Digits, Status } from "../parts/cells.tsx";
import type { Editor } from "./use-editor.ts";

interface Column {
	label: string;
	class?: string;
	cell(pet: Pet): ComponentChildren;
}

/** Each field of an animal has a column. In a narrow window, the panel covers the last columns, but has all fields. */
export const columns: Record<keyof Pet, Column> = {
	id: { label: "Id", class: "n", cell: (pet) => <Digits of={pet.id} /> },
	name: { label: "Name", cell: (pet) => pet.name },
	status: { label: "Status", class: "state", cell: (pet) => <Status status={pet.status} /> },
	categoryId: { label: "Category", class: "category", cell: (pet) => <CategoryName of={pet.categoryId} /> },
};

const inTwoLines = matchMedia("(max-width: 760px)");

interface FactProps {
	field: keyof Pet;
	pet: Pet;
	editor: Editor | undefined;
	isInRow?: boolean;
}

/** A field of an animal. The status and the category are shown as buttons that open a menu to change them. */
export function Fact({ field, pet, editor, isInRow = false }: FactProps) {
	const { nameOf } = useContext(CategoriesContext);
	const cell = columns[field].cell(pet);
	if (!editor || (field !== "status" && field !== "categoryId")) return cell;
	const isStatus = field === "status";
	// In a row of two lines, the category is no button, because the button would not be high enough for a finger.
	if (isInRow && !isStatus && inTwoLines.matches) return cell;
	const what = isStatus ? field : "category";
	const category = [nameOf(pet.categoryId), pet.categoryId].filter((part) => part !== undefined).join(" ");
	const text = isStatus ? (pet.status ?? "not set") : category;
	return (
		<Opener
			opens={isStatus ? "menu" : "dialog"}
			class={isStatus ? `pill ${pet.status ?? "none"} ${editor.edits.isWaiting(pet.id) ? "waiting" : ""}` : "quiet"}
			label={isStatus ? text : cell}
			data-edits={what}
			// In a row, the category is no tab stop, because the key `c` and the panel can also change it.
			tabIndex={isInRow && !isStatus ? -1 : undefined}
			aria-label={`${columns[field].label} of ${pet.name}: ${text}`}
			open={(anchor) => editor.ask(what, [pet], anchor)}
		/>
	);
}
