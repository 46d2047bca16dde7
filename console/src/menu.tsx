// A button that opens a small panel below it. It closes with Esc, after a choice, and when the focus leaves it.

import type { ComponentChildren } from "preact";
import { useId, useLayoutEffect, useRef, useState } from "preact/hooks";

interface MenuProps {
	label: ComponentChildren;
	/** The button's name, if its content is not enough. */
	name?: string;
	isQuiet?: boolean;
	children: (close: () => void) => ComponentChildren;
}

export function Menu({ label, name, isQuiet = false, children }: MenuProps) {
	const [isOpen, setIsOpen] = useState(false);
	const place = useRef<HTMLDivElement>(null);
	const button = useRef<HTMLButtonElement>(null);
	const id = useId();
	useLayoutEffect(() => {
		if (!isOpen) return;
		const leave = ({ target }: Event) => {
			if (target instanceof Node && !place.current?.contains(target)) setIsOpen(false);
		};
		const closeOnEscape = (event: KeyboardEvent) => {
			if (event.key !== "Escape") return;
			event.preventDefault();
			close();
		};
		const leaving = new AbortController();
		const { signal } = leaving;
		addEventListener("pointerdown", leave, { signal });
		addEventListener("focusin", leave, { signal });
		addEventListener("keydown", closeOnEscape, { signal, capture: true });
		return () => leaving.abort();
	}, [isOpen]);

	function close(): void {
		setIsOpen(false);
		button.current?.focus();
	}

	return (
		<div class="menu" ref={place}>
			<button
				type="button"
				class={isQuiet ? "quiet" : ""}
				aria-label={name}
				aria-expanded={isOpen}
				aria-controls={id}
				onClick={() => setIsOpen(!isOpen)}
				ref={button}
			>
				{label}
			</button>
			<div id={id} class="sheet" hidden={!isOpen}>
				{isOpen && children(close)}
			</div>
		</div>
	);
}
