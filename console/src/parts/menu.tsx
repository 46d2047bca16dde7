// A button that opens a small panel with more buttons.

import type { ComponentChildren } from "preact";
import { useRef } from "preact/hooks";
import { Opener } from "./button.tsx";
import { LazyPart, lazy } from "./lazy-view.tsx";

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
const lazyPopover = lazy(() => import("./popover.tsx").then(({ Popover }) => Popover));

export function Menu({ label, name, title, isOpen, setIsOpen, children }: MenuProps) {
	const button = useRef<HTMLButtonElement>(null);
	const close = () => setIsOpen(false);
	const open = () => setIsOpen(true);
	return (
		<>
			<Opener opens="dialog" class="quiet" label={label} aria-label={name} open={open} element={button} />
			{isOpen && button.current && (
				<LazyPart part={lazyPopover} props={{ ...look, title, anchor: button.current, onClose: close, children }} />
			)}
		</>
	);
}
