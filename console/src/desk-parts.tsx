// The parts of editing that are shown over the list: the selection bar, the menus, and the toast.

import "./desk.css";
import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useState } from "preact/hooks";
import type { Pet } from "../../src/contract/pet.ts";
import { Button, Opener } from "./button.tsx";
import { CategoryMenu } from "./category-menu.tsx";
import { type Notice, shortName, stateOf } from "./edits.ts";
import { Popover } from "./popover.tsx";
import { RemoveDialog } from "./questions.tsx";
import { petStatuses } from "./route.ts";
import { focusRow } from "./row-focus.ts";
import { countOf } from "./sentences.ts";
import type { Desk } from "./use-desk.ts";

export function DeskParts({ desk }: { desk: Desk }) {
	const { asked, editing } = desk;
	const [first] = asked?.pets ?? [];
	const isOne = asked?.pets.length === 1;
	const categories = new Set(asked?.pets.map(({ categoryId }) => categoryId));
	const [category] = categories.size === 1 ? categories : [];
	const what = isOne && first ? shortName(first.name) : countOf(asked?.pets.length ?? 0);
	function undo(): void {
		editing.undo?.();
		// The focused button disappears together with the toast.
		focusRow(String(editing.notice?.undo[0]?.pet.id));
	}
	return (
		<>
			{asked?.what === "status" && first && (
				<StatusMenu
					title={`Status of ${what}`}
					present={isOne ? { status: first.status } : undefined}
					anchor={asked.anchor}
					onChoose={(status) => desk.answer({ action: "set-status", status })}
					onClose={() => desk.answer()}
				/>
			)}
			{asked?.what === "category" && (
				<CategoryMenu
					title={`Category of ${what}`}
					anchor={asked.anchor}
					present={String(category ?? "")}
					mayName
					onChoose={(id) => desk.answer(id === category ? undefined : { action: "set-category", categoryId: id })}
					onClose={() => desk.answer()}
				/>
			)}
			{asked?.what === "removal" && (
				<RemoveDialog pets={asked.pets} onRemove={() => desk.remove(asked.pets)} onClose={desk.closeDialog} />
			)}
			<Toast notice={editing.notice} undo={editing.undo && undo} dismiss={editing.dismiss} />
		</>
	);
}

/**
 * The actions for the selected animals. The bar replaces the tools of the list, and has the same height.
 * @param children the menu that exports the animals
 */
export function SelectionBar({ desk, children }: { desk: Desk; children: ComponentChildren }) {
	const { selection } = desk;
	return (
		<div class="line selection" role="toolbar" aria-label="Selected animals">
			<b class="num" role="status">
				{selection.pets.length} selected
			</b>
			{selection.pets.length > 0 && (
				<>
					<Opener
						opens="menu"
						label={["Set status ", <kbd key="s">s</kbd>]}
						data-edits="status"
						open={(anchor) => desk.ask("status", selection.pets, anchor)}
					/>
					<Opener
						opens="dialog"
						label={["Category ", <kbd key="c">c</kbd>]}
						data-edits="category"
						open={(anchor) => desk.ask("category", selection.pets, anchor)}
					/>
					{children}
					<Button class="quiet warn" label="Remove …" onClick={() => desk.askRemoval(selection.pets)} />
				</>
			)}
			<Button class="quiet" label={["Clear ", <kbd key="Esc">Esc</kbd>]} onClick={selection.clear} />
		</div>
	);
}

interface StatusMenuProps {
	title: string;
	/** The current status; absent for several animals. */
	present?: { status: Pet["status"] };
	anchor: HTMLElement;
	onChoose(status: Pet["status"]): void;
	onClose(): void;
}

const statuses = [...petStatuses, undefined];
const keyOf = (status: Pet["status"]) => stateOf(status).charAt(0);

/** The menu that sets a status. Arrow keys or a letter choose the status. */
function StatusMenu({ title, present, anchor, onChoose, onClose }: StatusMenuProps) {
	function listen(event: KeyboardEvent): void {
		const letter = statuses.findIndex((status) => keyOf(status) === event.key.toLowerCase());
		if (letter >= 0 && !event.ctrlKey && !event.metaKey) onChoose(statuses[letter]);
		else if (event.key === "Tab") onClose();
		else return;
		event.preventDefault();
	}
	return (
		<Popover look="status-menu" focus={["[aria-checked=true]", "button"]} {...{ title, anchor, onClose }}>
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
		</Popover>
	);
}

interface ToastProps {
	notice: Notice | undefined;
	undo: (() => void) | undefined;
	dismiss(): void;
}

const shownMs = 8_000;

/**
 * The line that reports the outcome of an edit and offers the undo. It disappears after 8 seconds, but stays while it
 * has the pointer or the focus. A problem stays until the user closes it.
 */
function Toast({ notice, undo, dismiss }: ToastProps) {
	const [isHeld, setIsHeld] = useState(false);
	useLayoutEffect(() => {
		if (!notice || notice.isProblem || isHeld) return;
		const timer = setTimeout(dismiss, shownMs);
		return () => clearTimeout(timer);
	}, [notice, isHeld]);
	useEffect(() => setIsHeld(false), [notice]);
	return (
		<div class="toast-line" role="status">
			{notice && (
				<div
					class="line toast"
					onPointerEnter={() => setIsHeld(true)}
					onPointerLeave={({ currentTarget }) => setIsHeld(currentTarget.contains(document.activeElement))}
					onFocusIn={() => setIsHeld(true)}
					onFocusOut={({ currentTarget }) => setIsHeld(currentTarget.matches(":hover"))}
				>
					<p dir="auto">{notice.text}</p>
					{undo && <Button label={["Undo ", <kbd key="z">Ctrl Z</kbd>]} onClick={undo} />}
					{notice.isProblem && <Button label="Close" onClick={dismiss} />}
				</div>
			)}
		</div>
	);
}
