// The edits of a session as state of the app. They outlive the view, and also a session whose key is refused: after the
// user has signed in with another key, the messages still say what was not stored. Signing out deletes the edits.

import { useEffect, useRef, useState } from "preact/hooks";
import { later } from "../parts/later.ts";
import type { Session } from "../session/session.ts";
import { createEditQueue, createSeenNames, type EditQueue } from "./edit-queue.ts";
import type { Edit, Sent } from "./edits.ts";

interface Editing {
	session: Session;
	/** The name of a category, or its number if it has no name. */
	labelOf(categoryId: bigint): string;
}

export interface Edits extends EditQueue, ReturnType<typeof createSeenNames> {
	/** Sets the session of the signed-in user. Edits are sent with the key of this session. */
	setEditing(editing: Editing): void;
	forget(): void;
}

export function useEdits(): Edits {
	const [, draw] = useState({});
	function create(): Edits {
		/** Each queue has its own `editing`, so that edits left at the sign-out are not sent with the next user's key. */
		let editing: Editing | undefined;
		const queue = createEditQueue(
			(edits, report) => sendOrFail(edits, editing, () => editing === undefined, report),
			() => draw({}),
		);
		return Object.assign(queue, createSeenNames(), {
			setEditing(next: Editing) {
				editing = next;
			},
			forget() {
				editing = undefined;
				setEdits(create);
			},
		});
	}
	const [edits, setEdits] = useState<Edits>(create);
	useEffect(() => {
		const warn = (event: Event) => edits.underWay > 0 && event.preventDefault();
		addEventListener("beforeunload", warn);
		return () => removeEventListener("beforeunload", warn);
	}, [edits]);
	return edits;
}

/** While the component is shown, calls `act` each time that a step of edits has settled. */
export function useSettled({ replies }: Edits, act: () => void): void {
	const before = useRef(replies);
	useEffect(() => {
		if (replies !== before.current) act();
		before.current = replies;
	}, [replies]);
}

const loadSending = later(() => import("./send-edits.ts"));

async function sendOrFail(
	edits: readonly Edit[],
	editing: Editing | undefined,
	isOver: () => boolean,
	report: (settled: number) => void,
): Promise<Sent> {
	try {
		const { sendEdits } = await loadSending();
		if (!editing) throw new Error("nobody is signed in");
		return await sendEdits(editing.session, edits, editing.labelOf, isOver, report);
	} catch {
		const text = "Nothing was changed, because a part of the console could not be loaded. Reload the page.";
		return { results: [], notice: { text, isProblem: true, undo: [], about: undefined } };
	}
}
