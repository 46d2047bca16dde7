// The search by name: the service has none, so the console reads the list page by page and shows what it finds.

import type { AnimalStore, Filter } from "../../client/src/index.ts";
import { foldedText } from "../../src/contract/find.ts";
import type { Pet } from "../../src/contract/pet.ts";

export interface SearchState {
	found: Pet[];
	/** Animals read so far. */
	searched: number;
	/** `full`: it stopped because no more are shown. */
	end: "running" | "complete" | "stopped" | "full" | "failed";
	failure?: unknown;
}

const foundMax = 500;

/**
 * Reads the whole list, newest animals included, until it ends, `foundMax` are found, or `signal` stops it.
 * @param show called after each page
 */
export async function searchNames(
	store: AnimalStore<"bigint">,
	{ name, filter }: { name: string; filter: Filter },
	signal: AbortSignal,
	show: (state: SearchState) => void,
): Promise<void> {
	const wanted = foldedText(name);
	const state: SearchState = { found: [], searched: 0, end: "running" };
	try {
		for await (const { pets } of store.listPets(filter, { signal }).pages()) {
			state.searched += pets.length;
			const found = pets.filter((pet) => foldedText(pet.name).includes(wanted));
			state.found = [...state.found, ...found].slice(0, foundMax);
			if (state.found.length === foundMax) return show({ ...state, end: "full" });
			show({ ...state });
		}
		show({ ...state, end: "complete" });
	} catch (failure) {
		show(signal.aborted ? { ...state, end: "stopped" } : { ...state, end: "failed", failure });
	}
}
