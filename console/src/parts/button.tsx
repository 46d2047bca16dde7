// The buttons of the console.

import type { ComponentChildren, JSX, Ref } from "preact";

interface ButtonProps extends Omit<JSX.IntrinsicElements["button"], "label" | "onClick"> {
	label: ComponentChildren;
	/** If false, the button does nothing, but keeps the focus, which a `disabled` button would lose. */
	isReady?: boolean;
	element?: Ref<HTMLButtonElement>;
	onClick(event: { currentTarget: HTMLButtonElement }): void;
}

export function Button({ label, isReady = true, element, onClick, ...attributes }: ButtonProps) {
	const act: ButtonProps["onClick"] = (event) => isReady && onClick(event);
	return (
		<button type="button" aria-disabled={!isReady || undefined} {...attributes} onClick={act} ref={element}>
			{label}
		</button>
	);
}

type KeyButtonProps = Pick<ButtonProps, "class" | "onClick"> & { keys: string; meaning: string };

/** A button labelled with its keyboard shortcut; a screen reader says what the button does. */
export function KeyButton({ keys, meaning, class: look, onClick }: KeyButtonProps) {
	return (
		<button type="button" class={`quiet ${look}`} onClick={onClick}>
			<kbd>{keys}</kbd> <span class="hidden">{meaning}</span>
		</button>
	);
}

type OpenerProps = Omit<ButtonProps, "onClick"> & { opens: "menu" | "dialog"; open(anchor: HTMLButtonElement): void };

/** A button that opens a popover. The popover sets the button's `aria-expanded`. */
export function Opener({ opens, open, ...attributes }: OpenerProps) {
	const act: ButtonProps["onClick"] = ({ currentTarget }) => open(currentTarget);
	return <Button aria-haspopup={opens} aria-expanded="false" {...attributes} onClick={act} />;
}
