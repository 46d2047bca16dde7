// A field with choices below it, for commands and for categories. Arrows and Enter choose.

import "./choices.css";
import type { ComponentChildren } from "preact";
import { useId, useLayoutEffect, useState } from "preact/hooks";

interface ComboboxProps<T> {
	text: string;
	enter(text: string): void;
	/** The accessible name of the list. */
	label: "Commands" | "Categories";
	choices: readonly T[];
	keyOf(choice: T): string;
	show(choice: T): ComponentChildren;
	onChoose(choice: T): void;
	isOpen: boolean;
	/** Closes the list. If this function is given, Esc closes only the list. */
	close?: (() => void) | undefined;
	/** Whether the text is already a valid choice, so that Enter submits the form. */
	isSettled?: boolean;
	/** The key of the current value, which is ticked. If no choice has this key, Enter at first chooses nothing. */
	present?: string | undefined;
	/** Attributes of the input. */
	attributes: object;
}

export function Combobox<T>(props: ComboboxProps<T>) {
	const {
		text,
		enter,
		label,
		choices,
		keyOf,
		show,
		onChoose,
		isOpen,
		close,
		isSettled = false,
		present,
		attributes,
	} = props;
	const list = useId();
	const [at, setAt] = useState<number>();
	const isPresent = (choice: T) => keyOf(choice) === present;
	const start = present === undefined || text !== "" ? 0 : choices.findIndex(isPresent);
	const chosen = Math.min(at ?? start, choices.length - 1);
	useLayoutEffect(() => {
		document.getElementById(list)?.querySelector("[aria-selected=true]")?.scrollIntoView({ block: "nearest" });
	}, [chosen]);

	function listen(event: KeyboardEvent): void {
		const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
		const choice = choices[chosen];
		if (step !== undefined) setAt((Math.max(chosen + step, -1) + choices.length) % choices.length);
		else if (event.key === "Enter" && isOpen && choice !== undefined && !isSettled) onChoose(choice);
		else if (event.key === "Escape" && isOpen && close) close();
		else return;
		event.preventDefault();
	}
	return (
		<>
			<input
				role="combobox"
				aria-expanded={isOpen}
				aria-controls={list}
				aria-activedescendant={isOpen && chosen >= 0 ? `${list}-${chosen}` : undefined}
				autocomplete="off"
				spellcheck={false}
				dir="auto"
				{...attributes}
				value={text}
				onInput={(event) => {
					enter(event.currentTarget.value);
					setAt(undefined);
				}}
				onKeyDown={listen}
			/>
			<div id={list} class="choices" role="listbox" aria-label={label} hidden={!isOpen || choices.length === 0}>
				{choices.map((choice, index) => (
					<button
						key={keyOf(choice)}
						id={`${list}-${index}`}
						type="button"
						role="option"
						tabIndex={-1}
						aria-selected={index === chosen}
						aria-checked={present === undefined ? undefined : isPresent(choice)}
						// Keeps the focus in the field.
						onMouseDown={(event) => event.preventDefault()}
						onClick={() => onChoose(choice)}
					>
						{show(choice)}
					</button>
				))}
			</div>
		</>
	);
}
