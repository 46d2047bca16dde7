// Pages that do not change are not read again. New animals get larger ids, so a page with more animals behind it
// changes only by an edit, or when the store gets another history. It is kept with the state that it shows, which is
// another one then, and returned as the same object, so that what is made of it can be kept with it.

import type { PageQuery, PetPage } from "./store.ts";

/** About what the pages of a process may take, with the JSON that is made of them. */
const keptMaxBytes = 16 * 1024 * 1024;
/** Of an animal and its JSON, without its name. */
const petBytes = 250;
/** Of a character of a name, in both. */
const characterBytes = 6;

interface Kept {
	page: PetPage;
	state: string;
}

export interface KeptPages {
	/** Valid while the store's state is the page's. */
	find(query: PageQuery): Kept | undefined;
	/** Keeps the page if only an edit can change it. @param state read in the same snapshot as the page */
	keep(query: PageQuery, page: PetPage, state: string): PetPage;
}

/** Equal for equal queries. */
export function nameOfPage({ status, after, upTo, limit }: PageQuery): string {
	return `${status} ${after} ${upTo} ${limit}`;
}

/**
 * Keeps the pages that were asked for lately: when half of the bytes are in use, what is asked for from then on moves
 * to a new half, and the rest of the old half is dropped when that one is full.
 */
export function createKeptPages(maxBytes = keptMaxBytes): KeptPages {
	let recent = new Map<string, Kept>();
	let older = new Map<string, Kept>();
	let recentBytes = 0;

	function add(name: string, kept: Kept): void {
		recentBytes += bytesOf(kept.page);
		recent.set(name, kept);
		if (recentBytes <= maxBytes / 2) return;
		older = recent;
		recent = new Map();
		recentBytes = 0;
	}

	return {
		find(query) {
			const name = nameOfPage(query);
			const found = recent.get(name);
			if (found) return found;
			const earlier = older.get(name);
			if (earlier) add(name, earlier);
			return earlier;
		},
		keep(query, page, state) {
			if (isSettled(query, page)) add(nameOfPage(query), { page, state });
			return page;
		},
	};
}

/**
 * Whether no new animal can get on the page: it is full, and if it ends at an id, that animal is on it. Otherwise the
 * id may still be ahead, such as in a link from before the store was restored.
 */
function isSettled({ upTo }: PageQuery, { pets, hasMore }: PetPage): boolean {
	return hasMore && (upTo === undefined || pets.at(-1)?.id === upTo);
}

function bytesOf({ pets }: PetPage): number {
	return pets.reduce((sum, { name }) => sum + petBytes + characterBytes * name.length, 0);
}
