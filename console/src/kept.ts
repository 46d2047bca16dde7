// What a person chose and wrote in adding many. It outlives the view, for a look at the list, and the session, for
// another key. An import under way outlives the page, too (kept-job.ts). Signing out ends all of it.

import { useState } from "preact/hooks";
import type { OpenFile } from "./open-file.ts";

export interface Choosing {
	/** In the field for pasted rows. Kept after a check, so that they can be corrected. */
	text: string;
	file?: OpenFile;
	failure?: unknown;
	/** Another one for each file and sheet that is being read, so that only the latest is shown. */
	reading?: object;
}

export const nothingChosen: Choosing = { text: "" };

const kept = new WeakMap<object, Map<string, unknown>>();

/** A state that belongs to a file and lasts as long as that is kept. */
export function useKept<T>(file: object, name: string, first: () => T): [value: T, setValue: (next: T) => void] {
	const [, draw] = useState({});
	const values = kept.get(file) ?? new Map<string, unknown>();
	kept.set(file, values);
	if (!values.has(name)) values.set(name, first());
	const setValue = (next: T) => {
		values.set(name, next);
		draw({});
	};
	return [values.get(name) as T, setValue];
}
