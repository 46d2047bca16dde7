// A button that opens a small panel below it. Arrows move in it; it closes with Esc, and when the focus leaves it.

import type { ComponentChildren } from "preact";
import { useId, useLayoutEffect, useRef } from "preact/hooks";

interface MenuProps {
	label: ComponentChildren;
	/** The button's accessible name, if its content is not enough. */
	name?: string;
	isOpen: boolean;
	setIsOpen(isOpen: boolean): void;
	children: ComponentChildren;
}

export function Menu({ label, name, isOpen, setIsOpen, children }: MenuProps) {
	const place = useRef<HTMLDivElement>(null);
	const button = useRef<HTMLButtonElement>(null);
	const id = useId();
	useLayoutEffect(() => {
		if (!isOpen) return;
		const leave = ({ target }: Event) => {
			if (target instanceof Node && !place.current?.contains(target)) setIsOpen(false);
		};
		const listen = (event: KeyboardEvent) => {
			const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
			if (by !== undefined && place.current) moveFocus(place.current, by);
			else if (event.key === "Escape") setIsOpen(false);
			else return;
			event.preventDefault();
		};
		const leaving = new AbortController();
		const { signal } = leaving;
		button.current?.focus();
		addEventListener("pointerdown", leave, { signal });
		addEventListener("focusin", leave, { signal });
		addEventListener("keydown", listen, { signal, capture: true });
		return () => {
			leaving.abort();
			// The element that had the focus may be gone with the panel.
			if (document.activeElement === document.body) button.current?.focus();
		};
	}, [isOpen]);

	return (
		<div class="menu" ref={place}>
			<button
				type="button"
				class="quiet"
				aria-label={name}
				aria-expanded={isOpen}
				aria-controls={id}
				onClick={() => setIsOpen(!isOpen)}
				ref={button}
			>
				{label}
			</button>
			<div id={id} class="sheet" hidden={!isOpen}>
				{isOpen && children}
			</div>
		</div>
	);
}

/** Moves from the button in focus to another one of the same panel. */
export function moveFocus(place: Element, by: number): void {
	const buttons = [...place.querySelectorAll("button")];
	const at = buttons.indexOf(document.activeElement as HTMLButtonElement);
	buttons.at((at + by) % buttons.length)?.focus();
}
