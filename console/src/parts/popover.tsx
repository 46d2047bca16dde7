// A panel over the page: below or above its button, or at the bottom edge of a phone. Arrow keys move in the panel. The
// panel closes with Esc, when Tab leaves it, and by a click outside.

import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";

interface PopoverProps {
	title: string;
	look: "status-menu" | "category-menu" | "sheet";
	/** Absent if the title labels only a part of the panel. */
	role?: "dialog";
	/** The button that has opened the panel. It gets the focus back when the panel closes. */
	anchor: HTMLElement;
	/** Selectors of the element that gets the focus: the first selector with a match in the panel decides. */
	focus: readonly string[];
	onClose(): void;
	children: ComponentChildren;
}

export function Popover(props: PopoverProps) {
	const { title, look, role, anchor, focus, onClose, children } = props;
	const panel = useRef<HTMLDivElement>(null);
	const close = useRef(onClose);
	close.current = onClose;
	/** Keeps the list's shortcuts from working in the panel. */
	function listen(event: KeyboardEvent & { currentTarget: Element }): void {
		event.stopPropagation();
		const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
		if (event.key === "Escape") onClose();
		else if (by !== undefined && !(event.target instanceof HTMLInputElement)) moveFocus(event.currentTarget, by);
		else return;
		event.preventDefault();
	}
	useLayoutEffect(() => {
		const element = panel.current;
		if (!element) return;
		element.showPopover();
		const { offsetWidth: widthPx, offsetHeight: heightPx } = element;
		const { left, top, bottom } = anchor.getBoundingClientRect();
		const isAbove = bottom + heightPx > innerHeight && top > heightPx;
		element.style.setProperty("--left", `${Math.max(8, Math.min(left, innerWidth - widthPx - 16))}px`);
		element.style.setProperty("--top", isAbove ? "auto" : `${Math.min(bottom + 4, innerHeight - heightPx)}px`);
		element.style.setProperty("--bottom", isAbove ? `${innerHeight - top + 4}px` : "auto");
		const wanted = focus.map((selector) => element.querySelector<HTMLElement>(selector)).find((found) => found);
		wanted?.focus({ preventScroll: true });
		const leaving = new AbortController();
		const options = { capture: true, signal: leaving.signal };
		const isOutside = ({ target }: Event) => !(target instanceof Node && element.contains(target));
		// A sheet closes when the pointer is pressed outside it. The click that follows finds no sheet, and acts as usual.
		const isElsewhere = (event: Event) => isOutside(event) && !anchor.contains(event.target as Node);
		if (look === "sheet") addEventListener("pointerdown", (event) => isElsewhere(event) && close.current(), options);
		const closeOnly = (event: Event) => {
			if (!isOutside(event)) return;
			event.preventDefault();
			event.stopPropagation();
			close.current();
		};
		// If the panel is still open when the click arrives, the click only closes the panel.
		addEventListener("click", closeOnly, options);
		addEventListener("keyup", (event) => event.key === "Tab" && isOutside(event) && close.current(), options);
		addEventListener("scroll", (event) => isOutside(event) && close.current(), options);
		addEventListener("resize", () => close.current(), options);
		anchor.setAttribute("aria-expanded", "true");
		return () => {
			leaving.abort();
			anchor.setAttribute("aria-expanded", "false");
			anchor.focus({ preventScroll: true });
		};
	}, [anchor]);
	const attributes = { role, "aria-label": role && title, onKeyDown: listen };
	return (
		<div class={`popover ${look}`} popover="manual" tabIndex={-1} {...attributes} ref={panel}>
			<p class="soft" dir="auto">
				{title}
			</p>
			{children}
		</div>
	);
}

/** Moves the focus from one button of the panel to another. */
function moveFocus(panel: Element, by: number): void {
	const buttons = [...panel.querySelectorAll("button")];
	const at = buttons.indexOf(document.activeElement as HTMLButtonElement);
	buttons.at(Math.max(at + by, -1) % buttons.length)?.focus();
}
