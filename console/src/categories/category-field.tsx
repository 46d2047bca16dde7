// A field for a category: it completes names, accepts a number, and offers to create a category.

import { useContext } from "preact/hooks";
import { Combobox } from "../parts/combobox.tsx";
import { digits } from "../parts/sentences.ts";
import { CategoriesContext } from "./categories.ts";
import { type Choice, categoryChoices } from "./category-choices.ts";

interface CategoryFieldProps {
	text: string;
	enter(text: string): void;
	/** Whether a new category is offered. */
	mayName: boolean;
	isOpen: boolean;
	close?: () => void;
	isSettled?: boolean;
	present?: string | undefined;
	onChoose(choice: Choice): void;
	attributes: object;
}

export function CategoryField({ mayName, attributes, ...props }: CategoryFieldProps) {
	const { all } = useContext(CategoriesContext);
	return (
		<Combobox
			{...props}
			label="Categories"
			choices={categoryChoices(all, props.text, mayName)}
			keyOf={({ id }) => String(id ?? "new")}
			show={(choice) => <ChoiceLabel choice={choice} />}
			attributes={{ maxLength: 100, ...attributes }}
		/>
	);
}

function ChoiceLabel({ choice: { id, name, animals } }: { choice: Choice }) {
	if (id === undefined) return <span dir="auto">New category: {name}</span>;
	return (
		<>
			<span dir="auto">{name ?? (animals === undefined ? `Number ${id}` : String(id))}</span>
			{name !== undefined && <small class="soft num">{String(id)}</small>}
			{animals !== undefined && <small class="soft num count">{digits.format(animals)}</small>}
		</>
	);
}
