// A field that completes the names of categories, takes a number, and offers a new category. Arrows and Enter choose.

import "./options.css";
import type { ComponentChildren } from "preact";
import { useContext, useId, useLayoutEffect, useState } from "preact/hooks";
import { CategoriesContext } from "./categories.ts";
import { type Choice, categoryChoices } from "./category-choices.ts";
import { digits } from "./notes.tsx";

interface CategoryFieldProps {
	text: string;
	enter(text: string): void;
	/** Whether a new category is offered. */
	mayName: boolean;
	/** Whether the choices are shown. */
	isOpen: boolean;
	/** Whether the text is what is wanted, so that Enter is for the form. */
	isSettled?: boolean;
	onChoose(choice: Choice): void;
	/** For the input. */
	attributes: object;
	/** Below the choices, such as why nothing was chosen. */
	children?: ComponentChildren;
}

export function CategoryField(props: CategoryFieldProps) {
	const { text, enter, mayName, isOpen, isSettled = false, onChoose, attributes, children } = props;
	const list = useId();
	const categories = useContext(CategoriesContext);
	const [at, setAt] = useState(0);
	const choices = categoryChoices(categories.all, text, mayName);
	const chosen = choices[Math.min(at, choices.length - 1)];
	useLayoutEffect(() => {
		document.getElementById(list)?.querySelector("[aria-selected=true]")?.scrollIntoView({ block: "nearest" });
	}, [at]);

	function listen(event: KeyboardEvent): void {
		const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
		if (step !== undefined) setAt((Math.min(at, choices.length - 1) + step + choices.length) % choices.length);
		else if (event.key === "Enter" && isOpen && chosen && !isSettled) onChoose(chosen);
		else return;
		event.preventDefault();
	}
	return (
		<>
			<input
				role="combobox"
				aria-expanded={isOpen}
				aria-controls={list}
				aria-activedescendant={isOpen && chosen ? `${list}-${choices.indexOf(chosen)}` : undefined}
				autocomplete="off"
				spellcheck={false}
				dir="auto"
				maxLength={100}
				{...attributes}
				value={text}
				onInput={(event) => {
					enter(event.currentTarget.value);
					setAt(0);
				}}
				onKeyDown={listen}
			/>
			<div id={list} class="choices" role="listbox" aria-label="Categories" hidden={!isOpen || choices.length === 0}>
				{choices.map((choice, index) => (
					<button
						key={choice.id === undefined ? "new" : String(choice.id)}
						id={`${list}-${index}`}
						type="button"
						role="option"
						tabIndex={-1}
						aria-selected={choice === chosen}
						// The field keeps the focus.
						onMouseDown={(event) => event.preventDefault()}
						onClick={() => onChoose(choice)}
					>
						<ChoiceLabel choice={choice} />
					</button>
				))}
			</div>
			{children}
		</>
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
