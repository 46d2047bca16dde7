// The palette (Ctrl-K): every command of the console, found by its words, and what to do with the text itself.

import "./dialogs.css";
import "./options.css";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { type Command, offeredCommands } from "./shortcuts.ts";

interface PaletteProps {
	/** Commands made from the entered text, such as a search for it. */
	commandsFor(text: string): Command[];
	onClose(): void;
}

export function Palette({ commandsFor, onClose }: PaletteProps) {
	const dialog = useRef<HTMLDialogElement>(null);
	const [text, setText] = useState("");
	const [at, setAt] = useState(0);
	// Those for the animal that has the focus before the dialog takes it.
	const [commands] = useState(offeredCommands);
	useLayoutEffect(() => {
		const element = dialog.current;
		element?.showModal();
		// Outside of its content, a click is on the dialog itself.
		element?.addEventListener("click", ({ target }) => target === element && element.close());
	}, []);
	const words = text.toLowerCase().split(/\s+/).filter(Boolean);
	const matching = commands.filter(({ label }) => words.every((word) => label.toLowerCase().includes(word)));
	const shown = [...matching, ...commandsFor(text.trim())];
	const chosen = shown[Math.min(at, shown.length - 1)];

	useLayoutEffect(() => {
		document.querySelector(".palette [aria-selected=true]")?.scrollIntoView({ block: "nearest" });
	}, [at]);

	function run(command: Command | undefined): void {
		dialog.current?.close();
		command?.run();
	}
	function listen(event: KeyboardEvent): void {
		const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
		if (step !== undefined) setAt((Math.min(at, shown.length - 1) + step + shown.length) % shown.length);
		else if (event.key === "Enter") run(chosen);
		else return;
		event.preventDefault();
	}

	return (
		<dialog class="palette" aria-label="Commands" ref={dialog} onClose={onClose}>
			<input
				role="combobox"
				aria-label="Command, name or id"
				aria-expanded="true"
				aria-controls="palette-list"
				aria-activedescendant={chosen && `command-${shown.indexOf(chosen)}`}
				placeholder="Command, name or id"
				autocomplete="off"
				spellcheck={false}
				value={text}
				onInput={(event) => {
					setText(event.currentTarget.value);
					setAt(0);
				}}
				onKeyDown={listen}
			/>
			<div id="palette-list" role="listbox" aria-label="Commands">
				{shown.map((command, index) => (
					<button
						key={command.label}
						id={`command-${index}`}
						type="button"
						role="option"
						tabIndex={-1}
						aria-selected={command === chosen}
						onClick={() => run(command)}
					>
						<span>{command.label}</span>
						{command.keys && <kbd>{command.keys.replace("+z", " Z")}</kbd>}
					</button>
				))}
			</div>
		</dialog>
	);
}
