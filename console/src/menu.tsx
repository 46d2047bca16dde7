// A button that opens a small panel with more buttons.

import type { ComponentChildren } from "preact";
import { useRef } from "preact/hooks";
import { LazyPart } from "./lazy-view.tsx";

interface MenuProps {
	label: ComponentChildren;
	/** The button's accessible name, if its content is not enough. */
	name?: string;
	/** The title of the panel. */
	title: string;
	isOpen: boolean;
	setIsOpen(isOpen: boolean): void;
	children: ComponentChildren;
}

const look = { look: "sheet", role: "dialog", focus: ["button"] } as const;
const loadPopover = () => import("./popover.tsx").then(({ Popover }) => Popover);

export function Menu({ label, name, title, isOpen, setIsOpen, children }: MenuProps) {
	const button = useRef<HTMLButtonElement>(null);
	function close(): void {
		setIsOpen(false);
		button.current?.focus();
	}
	return (
		<>
			<button
				type="button"
				class="quiet"
				aria-label={name}
				aria-haspopup="dialog"
				aria-expanded="false"
				onClick={() => setIsOpen(true)}
				ref={button}
			>
				{label}
			</button>
			{isOpen && button.current && (
				<LazyPart load={loadPopover} props={{ ...look, title, anchor: button.current, onClose: close, children }} />
			)}
		</>
	);
}
