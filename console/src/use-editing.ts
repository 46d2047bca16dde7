// Edits as state of the Animals view: animals change immediately, and change back if the service refuses. Edits are
// sent one after the other, so that each edit starts from the result of the previous edit.

import { useRef, useState } from "preact/hooks";
import type { Pet } from "../../src/contract/pet.ts";
import { type Edit, editedPet, type Notice, type Sent } from "./edits.ts";
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
	/** Edited animals by id. `waiting` counts edits without a result; `reply` is the list's reply at the last change. */
	const animals = useRef(new Map<string, { reply: unknown; now: Pet | undefined; waiting: number }>());
	const [notice, setNotice] = useState<Notice>();
	const [replies, setReplies] = useState(0);
	const queue = useRef(Promise.resolve());
	const latest = useRef(options);
	latest.current = options;

	function put({ id }: Pet, now: Pet | undefined, more: 1 | -1): void {
		const waiting = (animals.current.get(String(id))?.waiting ?? 0) + more;
		animals.current.set(String(id), { reply: latest.current.reply, now, waiting });
	}
	async function send(edits: readonly Edit[], shown: readonly (Pet | undefined)[]): Promise<void> {
		const { results, notice } = await sendOrFail(session, edits, latest.current.labelOf);
		for (const [index, { pet }] of edits.entries()) {
			const result = results[index];
			const now = animals.current.get(String(pet.id))?.now;
			// If `now` differs, a later edit of the animal is waiting, and its expected result is already shown.
			put(pet, now !== shown[index] ? now : result ? result.pet : pet, -1);
		}
		setNotice((last) =>
			last?.isProblem ? { ...notice, isProblem: true, text: `${last.text} ${notice.text}` } : notice,
		);
		setReplies((count) => count + 1);
		latest.current.onSettled();
	}
	function apply(edits: readonly Edit[]): void {
		const shown = edits.map(editedPet);
		for (const [index, { pet }] of edits.entries()) put(pet, shown[index], 1);
		setNotice(undefined);
		queue.current = queue.current.then(() => send(edits, shown));
	}
	return {
		edited: (pets) =>
			pets.flatMap((pet) => {
				const found = animals.current.get(String(pet.id));
				if (!found || (found.waiting === 0 && found.reply !== options.reply)) return [pet];
				return found.now ? [found.now] : [];
			}),
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
