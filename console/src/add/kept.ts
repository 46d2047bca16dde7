// The choices and entries of adding many. They outlive the view, so that the user can look at the list, and outlive the
// session, so that the user can sign in with another API key. Signing out deletes all of this.

import { useLayoutEffect, useState } from "preact/hooks";
import type { Job, JobState } from "./add-rows.ts";
import type { OpenFile } from "./open-file.ts";

export interface Choosing {
	/** The pasted rows, which are kept after a check so that they can be corrected. */
	text: string;
	file?: OpenFile;
	failure?: unknown;
	/** A new object each time a file or sheet is read, so that only the latest result is shown. */
	reading?: object;
}

export const nothingChosen: Choosing = { text: "" };

const kept = new WeakMap<object, Map<string, unknown>>();

/** State that belongs to a file and is kept as long as the file. */
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

/** The state of a job. Each change of the state renders the component again. */
export function useJob(job: Job): JobState {
	const [state, setState] = useState(job.state);
	useLayoutEffect(() => {
		const update = () => setState(job.state);
		update();
		job.watchers.add(update);
		return () => job.watchers.delete(update);
	}, [job]);
	return state;
}
