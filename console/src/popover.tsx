// A panel over the page, below or above its button; on phones, at the bottom edge. A click outside only closes it.

import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";

interface PopoverProps {
	title: string;
	look: "status-menu" | "category-menu";
	/** Absent if the title belongs to a part of the panel. */
	role?: "dialog";
	anchor: Element;
	widthPx: number;
	heightPx: number;
	/** Selectors: the first with a match in the panel gets the focus. */
	focus: readonly string[];
	onClose(): void;
	children: ComponentChildren;
}

export function Popover(props: PopoverProps) {
	const { title, look, role, anchor, widthPx, heightPx, focus, onClose, children } = props;
	const panel = useRef<HTMLDivElement>(null);
	const close = useRef(onClose);
	close.current = onClose;
	/** Keeps the list's shortcuts from working in the panel. */
	function listen(event: KeyboardEvent): void {
		event.stopPropagation();
		if (event.key !== "Escape") return;
		event.preventDefault();
		onClose();
	}
	useLayoutEffect(() => {
		const element = panel.current;
		if (!element) return;
		const { left, top, bottom } = anchor.getBoundingClientRect();
		const isAbove = bottom + heightPx > innerHeight && top > heightPx;
		element.style.setProperty("--left", `${Math.max(8, Math.min(left, innerWidth - widthPx - 16))}px`);
		element.style.setProperty("--top", isAbove ? "auto" : `${Math.min(bottom + 4, innerHeight - heightPx)}px`);
		element.style.setProperty("--bottom", isAbove ? `${innerHeight - top + 4}px` : "auto");
		element.showPopover();
		const wanted = focus.map((selector) => element.querySelector<HTMLElement>(selector)).find((found) => found);
		wanted?.focus({ preventScroll: true });
		const leaving = new AbortController();
		const options = { capture: true, signal: leaving.signal };
		const isOutside = ({ target }: Event) => !(target instanceof Node && element.contains(target));
		// A click elsewhere only closes the panel, and does not open an animal under the pointer.
		const leave = (event: Event) => {
			if (!isOutside(event)) return;
			event.preventDefault();
			event.stopPropagation();
			close.current();
		};
		addEventListener("click", leave, options);
		addEventListener("scroll", (event) => isOutside(event) && close.current(), options);
		addEventListener("resize", () => close.current(), options);
		anchor.setAttribute("aria-expanded", "true");
		return () => {
			leaving.abort();
			anchor.setAttribute("aria-expanded", "false");
		};
	}, [anchor]);
	const attributes = { role, "aria-label": role && title, onKeyDown: listen };
	return (
		<div class={`popover ${look}`} popover="manual" {...attributes} ref={panel}>
			<p class="soft" dir="auto">
				{title}
			</p>
			{children}
		</div>
	);
}
