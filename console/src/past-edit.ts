// The edits of an animal, described in words.

import type { PastEdit } from "../../src/contract/console.ts";
import type { Categories } from "./categories.ts";
import { stateOf } from "./edits.ts";

export const moment = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });

/** Describes an edit, such as “Moved from Dog to Cat”. */
export function describeEdit(edit: PastEdit, labelOf: Categories["labelOf"]): string {
	const { action, toStatus, fromCategoryId = "", toCategoryId = "" } = edit;
	if (action === "set-status") return toStatus ? `Marked as ${toStatus}` : `Status ${stateOf(toStatus)}`;
	if (action === "set-category") return `Moved from ${labelOf(fromCategoryId)} to ${labelOf(toCategoryId)}`;
	return action === "rename" ? "Renamed" : "Removed";
}
