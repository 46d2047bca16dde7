// The palette (Ctrl-K). It finds a command of the console by words of its label, and has commands for the entered text.

import "./dialogs.css";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { Combobox } from "./combobox.tsx";
import { type Command, ctrl, offeredCommands } from "./shortcuts.ts";

interface PaletteProps {
	/** Commands made from the entered text, such as a search for it. */
	commandsFor(text: string): Command[];
	onClose(): void;
}

export function Palette({ commandsFor, onClose }: PaletteProps) {
	const dialog = useRef<HTMLDialogElement>(null);
	const [text, setText] = useState("");
	// Commands are collected before the dialog takes the focus from the animal to which they apply.
	const [commands] = useState(offeredCommands);
	useLayoutEffect(() => {
		const element = dialog.current;
		element?.showModal();
		// A click outside the content is a click on the dialog itself.
		element?.addEventListener("click", ({ target }) => target === element && element.close());
	}, []);
	const words = text.toLowerCase().split(/\s+/).filter(Boolean);
	const matching = commands.filter(({ label }) => words.every((word) => label.toLowerCase().includes(word)));
	function run(command: Command): void {
		dialog.current?.close();
		command.run();
	}
	return (
		<dialog class="palette" aria-label="Commands" ref={dialog} onClose={onClose}>
			<Combobox
				text={text}
				enter={setText}
				label="Commands"
				choices={[...matching, ...commandsFor(text.trim())]}
				keyOf={({ label }) => label}
				show={({ label, keys }) => [
					<span key="label">{label}</span>,
					keys && <kbd key="keys">{keys.replace("Ctrl+z", `${ctrl} Z`)}</kbd>,
				]}
				onChoose={run}
				isOpen
				attributes={{ "aria-label": "Command, name or id", placeholder: "Command, name or id" }}
			/>
		</dialog>
	);
}
