// What both engines need to know of an edit.

import type { EditOutcome, NewEdit } from "./store.ts";

/** Whether a name must be erased now: also after a repeated edit, because the first may not have got so far. */
export function replacesName({ action }: NewEdit, outcome: EditOutcome["outcome"]): boolean {
	if (action === "rename") return outcome === "edited" || outcome === "unchanged";
	return action === "remove" && (outcome === "edited" || outcome === "removed");
}
