// The name of the animal in the panel. A click on the name starts a change. Enter, or a click elsewhere, keeps the new
// name; Esc keeps the old name.

import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Pet } from "../../../src/contract/pet.ts";
import { checkFields } from "../../../src/contract/validate.ts";
import { describeFault } from "../../../src/files/fault-words.ts";
import { Button } from "../parts/button.tsx";
import { Problem } from "../parts/notes.tsx";
import type { Editor } from "./use-editor.ts";

export function PetName({ pet, editor }: { pet: Pet; editor: Editor }) {
	const id = String(pet.id);
	const isRenamed = editor.renamed === id;
	const field = useRef<HTMLInputElement>(null);
	const button = useRef<HTMLButtonElement>(null);
	const [problem, setProblem] = useState("");
	const wasRenamed = useRef(isRenamed);
	/** The name that the user saw before the change. */
	const seen = useRef(pet.name);
	if (!isRenamed) seen.current = pet.name;
	useLayoutEffect(() => {
		field.current?.focus();
		field.current?.select();
		if (!isRenamed && wasRenamed.current) button.current?.focus();
		wasRenamed.current = isRenamed;
		setProblem("");
	}, [isRenamed]);

	function listen(event: KeyboardEvent): void {
		if (event.key === "Escape") editor.endRename(pet);
		else if (event.key === "Enter") keep();
		else return;
		event.preventDefault();
	}
	function keep(): void {
		if (!field.current) return; // The field was removed, which took its focus.
		const name = field.current.value.trim();
		const [fault] = checkFields({ name, categoryId: 1 }).faults ?? [];
		if (fault) setProblem(`${describeFault(fault, name)}.`);
		else editor.endRename({ ...pet, name: seen.current }, name);
	}

	if (isRenamed)
		return (
			<div class="entry">
				<h2 class="hidden">{pet.name}</h2>
				<input
					class="rename"
					aria-label="Name"
					dir="auto"
					autocomplete="off"
					defaultValue={pet.name}
					aria-invalid={problem !== ""}
					aria-describedby="rename-problem"
					onKeyDown={listen}
					// The change stays open while another window has the focus.
					onBlur={() => document.hasFocus() && keep()}
					ref={field}
				/>
				<Problem id="rename-problem">{problem}</Problem>
				<div class="line">
					<Button label={["Keep ", <kbd key="Enter">Enter</kbd>]} onClick={keep} />
					<Button
						class="quiet"
						label={["Old name ", <kbd key="Esc">Esc</kbd>]}
						// The focus stays in the field, because the field's onBlur would keep the new name.
						onMouseDown={(event) => event.preventDefault()}
						onClick={() => editor.endRename(pet)}
					/>
				</div>
			</div>
		);
	return (
		<h2 dir="auto">
			<button
				type="button"
				class="rename"
				aria-label={`Rename ${pet.name}`}
				onClick={() => editor.startRename(id)}
				ref={button}
			>
				{pet.name}
				<svg viewBox="0 0 16 16" aria-hidden="true">
					<path d="m3 13 .6-2.6 7-7 2 2-7 7L3 13Z" />
				</svg>
			</button>
		</h2>
	);
}
