// The pages of a search. A reply has the position of only the next page. Only the first page's reply has the total.

import type { Page } from "../../../client/src/index.ts";
import type { FindReply } from "../../../src/contract/console.ts";

type Counted = Pick<FindReply, "total" | "isMore" | "totals">;

/** A page of a search. An empty `prev` leads to the first page. */
export interface FoundPage extends Page<"bigint"> {
	found: Counted & {
		/** The number of animals on earlier pages; absent if the number is unknown. */
		before?: number;
	};
}

/** What is known of a search: the total, and the positions where its pages begin. */
export interface Walk extends Counted {
	places: string[];
}

export const newWalk = (): Walk => ({ places: [""] });

/**
 * The page of a reply. Adds the reply's total, and the position of the next page, to `walk`.
 * @param limit the number of animals on a page @param cursor the page's position
 */
export function foundPage(walk: Walk, limit: number, cursor = "", reply: FindReply): FoundPage {
	const { pets, next, total, isMore, totals } = reply;
	const at = walk.places.indexOf(cursor);
	if (total !== undefined) Object.assign(walk, { total, isMore, totals });
	if (next && at >= 0) walk.places[at + 1] = next;
	const before = at < 0 ? {} : { before: at * limit };
	return {
		pets,
		found: { total: walk.total, isMore: walk.isMore, totals: walk.totals, ...before },
		...(next && { next }),
		...(at > 0 && { prev: walk.places[at - 1] }),
	} as FoundPage;
}
