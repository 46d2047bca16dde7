// Messages about edits: what was changed, and what could not be changed. They are shown over every view.

import "./edit.css";
import { useLayoutEffect, useState } from "preact/hooks";
import { Button } from "../parts/button.tsx";
import { countOf, digits, shortName } from "../parts/sentences.ts";
import { ctrl } from "../parts/shortcuts.ts";
import type { Message } from "./edit-queue.ts";
import type { Edits } from "./use-edits.ts";

interface MessagesProps {
	edits: Edits;
	/** Opens the animal with this id; absent while nobody is signed in. */
	show: ((id: string) => void) | undefined;
	mayUndo: boolean;
	/** Gives the focus to the row of an animal, or to the heading of the view. */
	focus(id?: string): void;
}

export function Messages({ edits, mayUndo, show, focus }: MessagesProps) {
	const undo = (message: Message) => {
		edits.undo(message.step);
		focus(String(message.undo[0]?.pet.id));
	};
	return (
		<>
			{edits.progress && <Progress {...edits.progress} />}
			{edits.messages.map((message) => (
				<Line key={message.key} {...{ message, mayUndo, show, undo, focus }} leave={() => edits.close(message.key)} />
			))}
		</>
	);
}

/** The progress of changing many animals. It changes several times a second, so screen readers do not announce it. */
function Progress({ settled, all }: { settled: number; all: number }) {
	return (
		<div class="line wraps toast" aria-live="off">
			<p>
				{`Changing ${countOf(all)}: ${digits.format(settled)} done `}
				<progress aria-label="Changed animals" max={all} value={settled} />
			</p>
		</div>
	);
}

interface LineProps extends Omit<MessagesProps, "edits"> {
	message: Message;
	undo(message: Message): void;
	leave(): void;
}

const shownMs = 8_000;

/**
 * Reports the outcome of edits that were made together, and offers to undo them. The line disappears after 8 seconds,
 * but stays while it has the pointer or the focus. The line of a problem stays until the user closes the line.
 */
function Line({ message, mayUndo, show, undo, leave, focus }: LineProps) {
	const { text, isProblem, step, about } = message;
	const [isHeld, setIsHeld] = useState(false);
	useLayoutEffect(() => {
		if (isProblem || isHeld) return;
		const timer = setTimeout(leave, shownMs);
		return () => clearTimeout(timer);
	}, [isHeld]);
	function close(): void {
		leave();
		focus();
	}
	return (
		<div
			class="line wraps toast"
			onPointerEnter={() => setIsHeld(true)}
			onPointerLeave={({ currentTarget }) => setIsHeld(currentTarget.contains(document.activeElement))}
			onFocusIn={() => setIsHeld(true)}
			onFocusOut={({ currentTarget }) => setIsHeld(currentTarget.matches(":hover"))}
		>
			<p dir="auto">{text}</p>
			<div class="line">
				{step && mayUndo && (
					<Button label={step.isUndo ? "Redo" : ["Undo ", <kbd key="z">{ctrl} Z</kbd>]} onClick={() => undo(message)} />
				)}
				{about && show && <Button label={`Show ${shortName(about.name)}`} onClick={() => show(String(about.id))} />}
				{isProblem && <Button label="Close" onClick={close} />}
			</div>
		</div>
	);
}
