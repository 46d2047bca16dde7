// The search by name: the service finds the animals in pages, and the console shows each.

import type { FindReply } from "../../src/contract/console.ts";
import type { Pet } from "../../src/contract/pet.ts";

export interface SearchState {
	found: Pet[];
	/** Animals received so far. */
	searched: number;
	/** Where the search goes on; absent at its start. */
	after?: string | undefined;
	/** `full`: many were found, and no more are shown unless wanted. */
	end: "running" | "complete" | "stopped" | "full" | "failed";
	failure?: unknown;
}

const shownMax = 500;
export const noSearch: SearchState = { found: [], searched: 0, end: "running" };

/**
 * Looks at the animals from where `from` ended, until the newest, another 500 found, or `signal`.
 * @param query the name and the filters
 * @param show called after each part
 */
export async function searchNames(
	ask: (path: string, options: { signal: AbortSignal }) => Promise<unknown>,
	query: { name: string } & Record<string, string>,
	from: SearchState,
	signal: AbortSignal,
	show: (state: SearchState) => void,
): Promise<void> {
	const state: SearchState = { ...from, end: "running", failure: undefined };
	const fullAt = state.found.length + shownMax;
	try {
		while (state.end === "running") {
			const parameters = new URLSearchParams({ ...query, ...(state.after !== undefined && { after: state.after }) });
			const part = (await ask(`/console/find?${parameters}`, { signal })) as FindReply;
			state.found = [...state.found, ...part.pets];
			state.searched += part.pets.length;
			state.after = part.next;
			if (part.next === undefined) state.end = "complete";
			else if (state.found.length >= fullAt) state.end = "full";
			show({ ...state });
		}
	} catch (failure) {
		show(signal.aborted ? { ...state, end: "stopped" } : { ...state, end: "failed", failure });
	}
}
