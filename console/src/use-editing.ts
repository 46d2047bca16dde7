// Edits as state of the Animals view: animals change immediately, and change back if the service refuses. Edits are
// sent one after the other, so that each edit starts from the result of the previous edit.

import { useRef, useState } from "preact/hooks";
import type { Pet } from "../../src/contract/pet.ts";
import { createEditedAnimals, type Expected } from "./edited-animals.ts";
import type { Edit, Notice, Sent } from "./edits.ts";
import type { Session } from "./session.ts";

export interface Editing {
	/** The animals with edits applied, without removed animals. */
	edited(pets: readonly Pet[]): Pet[];
	apply(edits: readonly Edit[]): void;
	replies: number;
	notice: Notice | undefined;
	/** Undefined when there is nothing to undo. */
	undo: (() => void) | undefined;
	dismiss(): void;
}

interface EditingOptions {
	/** Changes with each new reply that the view shows. A new reply includes all edits whose results have arrived. */
	reply: unknown;
	/** The name of a category, or its number if it has no name. */
	labelOf(categoryId: bigint): string;
	onSettled(): void;
}

export function useEditing(session: Session, options: EditingOptions): Editing {
	const [notice, setNotice] = useState<Notice>();
	const [replies, setReplies] = useState(0);
	const queue = useRef(Promise.resolve());
	const latest = useRef(options);
	latest.current = options;
	const [animals] = useState(() => createEditedAnimals(() => latest.current.reply));

	async function send(expected: Expected): Promise<void> {
		const { results, notice } = await sendOrFail(session, expected.edits, latest.current.labelOf);
		animals.settle(expected, results);
		setNotice((last) =>
			last?.isProblem ? { ...notice, isProblem: true, text: `${last.text} ${notice.text}` } : notice,
		);
		setReplies((count) => count + 1);
		latest.current.onSettled();
	}
	function apply(edits: readonly Edit[]): void {
		const expected = animals.expect(edits);
		setNotice(undefined);
		queue.current = queue.current.then(() => send(expected));
	}
	return {
		edited: animals.edited,
		apply,
		replies,
		notice,
		undo: notice && notice.undo.length > 0 ? () => apply(notice.undo) : undefined,
		dismiss: () => setNotice(undefined),
	};
}

async function sendOrFail(session: Session, edits: readonly Edit[], labelOf: EditingOptions["labelOf"]): Promise<Sent> {
	try {
		const { sendEdits } = await import("./send-edits.ts");
		return await sendEdits(session, edits, labelOf);
	} catch {
		const text = "Nothing was changed, because a part of the console could not be loaded. Reload the page.";
		return { results: [], notice: { text, isProblem: true, undo: [] } };
	}
}
