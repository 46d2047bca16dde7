// The buttons of the console.

import type { ComponentChildren, JSX } from "preact";

interface ButtonProps extends Omit<JSX.IntrinsicElements["button"], "label" | "onClick"> {
	label: ComponentChildren;
	/** If false, it keeps the focus and does nothing: a `disabled` button would lose the focus of a keyboard user. */
	isReady?: boolean;
	onClick(event: { currentTarget: HTMLButtonElement }): void;
}

export function Button({ label, isReady = true, onClick, ...attributes }: ButtonProps) {
	const act: ButtonProps["onClick"] = (event) => isReady && onClick(event);
	return (
		<button type="button" aria-disabled={!isReady || undefined} {...attributes} onClick={act}>
			{label}
		</button>
	);
}

type KeyButtonProps = Pick<ButtonProps, "class" | "onClick"> & { keys: string; meaning: string };

/** Shows the keys that do the same; a screen reader says what they do. */
export function KeyButton({ keys, meaning, class: look, onClick }: KeyButtonProps) {
	return (
		<button type="button" class={`quiet ${look}`} onClick={onClick}>
			<kbd>{keys}</kbd> <span class="hidden">{meaning}</span>
		</button>
	);
}

type OpenerProps = Omit<ButtonProps, "onClick"> & { opens: "menu" | "dialog"; open(anchor: HTMLButtonElement): void };

/** Opens a popover, which sets `aria-expanded`. */
export function Opener({ opens, open, ...attributes }: OpenerProps) {
	const act: ButtonProps["onClick"] = ({ currentTarget }) => open(currentTarget);
	return <Button aria-haspopup={opens} aria-expanded="false" {...attributes} onClick={act} />;
}
