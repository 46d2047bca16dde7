// The menu that sets a status, below its button; on phones, at the bottom edge. Arrows or a letter choose.

import { useLayoutEffect, useRef } from "preact/hooks";
import type { Pet } from "../../src/contract/pet.ts";
import { stateOf } from "./edits.ts";
import { petStatuses } from "./route.ts";

interface StatusMenuProps {
	title: string;
	/** The present status; absent for several animals. */
	present?: { status: Pet["status"] };
	anchor: HTMLElement;
	onChoose(status: Pet["status"]): void;
	onClose(): void;
}

const statuses = [...petStatuses, undefined];
const keyOf = (status: Pet["status"]) => stateOf(status).charAt(0);
const heightPx = 184;

export function StatusMenu({ title, present, anchor, onChoose, onClose }: StatusMenuProps) {
	const menu = useRef<HTMLDivElement>(null);
	const close = useRef(onClose);
	close.current = onClose;
	useLayoutEffect(() => {
		const element = menu.current;
		if (!element) return;
		const { left, top, bottom } = anchor.getBoundingClientRect();
		const isAbove = bottom + heightPx > innerHeight && top > heightPx;
		element.style.setProperty("--left", `${Math.max(8, Math.min(left, innerWidth - 232))}px`);
		element.style.setProperty("--top", isAbove ? "auto" : `${bottom + 4}px`);
		element.style.setProperty("--bottom", isAbove ? `${innerHeight - top + 4}px` : "auto");
		element.showPopover();
		const present = element.querySelector<HTMLElement>("[aria-checked=true]");
		(present ?? element.querySelector("button"))?.focus({ preventScroll: true });
		const leaving = new AbortController();
		const options = { capture: true, signal: leaving.signal };
		// A click elsewhere only closes the menu, and opens no animal below it.
		const leave = (event: Event) => {
			if (event.target instanceof Node && element.contains(event.target)) return;
			event.preventDefault();
			event.stopPropagation();
			close.current();
		};
		addEventListener("click", leave, options);
		addEventListener("scroll", () => close.current(), options);
		addEventListener("resize", () => close.current(), options);
		anchor.setAttribute("aria-expanded", "true");
		return () => {
			leaving.abort();
			anchor.setAttribute("aria-expanded", "false");
		};
	}, [anchor]);

	function listen(event: KeyboardEvent): void {
		// The keys of the list do nothing here.
		event.stopPropagation();
		const items = [...(menu.current?.querySelectorAll("button") ?? [])];
		const at = items.indexOf(document.activeElement as HTMLButtonElement);
		const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
		const letter = statuses.findIndex((status) => keyOf(status) === event.key.toLowerCase());
		if (by !== undefined) items.at((at + by) % items.length)?.focus();
		else if (letter >= 0 && !event.ctrlKey && !event.metaKey) onChoose(statuses[letter]);
		else if (event.key === "Escape" || event.key === "Tab") onClose();
		else return;
		event.preventDefault();
	}

	return (
		<div class="status-menu" popover="manual" ref={menu}>
			<p class="soft">{title}</p>
			<div role="menu" aria-label={title} onKeyDown={listen}>
				{statuses.map((status) => (
					<button
						key={stateOf(status)}
						type="button"
						role="menuitemradio"
						aria-checked={present !== undefined && present.status === status}
						onClick={() => onChoose(status)}
					>
						<span class={`dot ${status ?? "none"}`} />
						<span class="label">{stateOf(status)}</span>
						<kbd>{keyOf(status)}</kbd>
					</button>
				))}
			</div>
		</div>
	);
}
