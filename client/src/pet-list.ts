// Lists of animals: page by page, one by one, or the first animals as an array.

import { type Filter, type Int64Mode, limitMax, type Pet } from "./contract.ts";

export interface ListQuery extends Filter {
	/** Animals on a page, 1 to 100. Default: 100. */
	limit?: number | undefined;
	/** `next`, `prev` or `last` of an earlier page with the same filter. */
	cursor?: string | undefined;
}

export interface Page<Mode extends Int64Mode = "string"> {
	/** Animals by ascending id, the order in which they were added. Empty if an operator has removed all of them. */
	pets: Pet<Mode>[];
	/** The cursor of the next page; absent on the last page. */
	next?: string;
	/** The cursor of the previous page; absent on the first page. */
	prev?: string;
	/** The cursor of the page with the newest animals. This cursor never changes. */
	last?: string;
}

type Pages<Mode extends Int64Mode> = AsyncGenerator<Page<Mode>, void, undefined>;

/** All animals, one by one with `for await`, page by page with `pages()`, or as an array. */
export interface PetList<Mode extends Int64Mode = "string"> extends AsyncIterable<Pet<Mode>> {
	/** Begins at the first page, or with `from: "last"` at the newest animals. Ids ascend within each page. */
	pages(order?: { from?: "first" | "last" }): Pages<Mode>;
	/** The first `limit` animals; Infinity for all. @throws RangeError for a limit that is not a positive integer */
	toArray(most: { limit: number }): Promise<Pet<Mode>[]>;
	/** The animal with the smallest id; undefined when there is none. */
	first(): Promise<Pet<Mode> | undefined>;
}

/** @param readPage gets one page */
export function petList<Mode extends Int64Mode>(
	query: ListQuery,
	readPage: (query: ListQuery) => Promise<Page<Mode>>,
): PetList<Mode> {
	async function* pages({ from = "first" }: { from?: "first" | "last" } = {}): Pages<Mode> {
		const isBackward = from === "last";
		let cursor = query.cursor;
		if (isBackward) cursor ??= (await readPage({ ...query, limit: 1 })).last;
		do {
			const page = await readPage({ ...query, cursor });
			yield page;
			cursor = isBackward ? page.prev : page.next;
		} while (cursor !== undefined);
	}
	async function* pets() {
		for await (const page of pages()) yield* page.pets;
	}
	async function toArray({ limit }: { limit: number }): Promise<Pet<Mode>[]> {
		if (!(limit === Infinity || (Number.isInteger(limit) && limit > 0)))
			throw new RangeError(`limit must be a positive integer or Infinity, not ${limit}`);
		const found: Pet<Mode>[] = [];
		const pageSize = query.limit ?? Math.min(limit, limitMax);
		for await (const page of petList({ ...query, limit: pageSize }, readPage).pages()) {
			found.push(...page.pets);
			if (found.length >= limit) break;
		}
		return found.slice(0, limit);
	}
	const first = async () => (await toArray({ limit: 1 }))[0];
	return { pages, toArray, first, [Symbol.asyncIterator]: pets };
}
