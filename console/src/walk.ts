// Keeps the cursors of visited pages for the Previous button, because a page's Link has only the next cursor.

import type { AnimalsRoute } from "./route.ts";

export interface Walk {
	/** The filter and page size of the cursors. */
	of: string;
	/** In page order; undefined is the first page. */
	cursors: (string | undefined)[];
}

export const emptyWalk: Walk = { of: "", cursors: [] };

/** The walk that contains a page: the current one, or a new one after a link or a change of filter. */
export function walkAt(walk: Walk, { status, limit, cursor }: AnimalsRoute): Walk {
	const of = `${status} ${limit}`;
	return walk.of === of && walk.cursors.includes(cursor) ? walk : { of, cursors: [cursor] };
}

/** Adds the page `next` after the page of `cursor`. */
export function extendWalk({ of, cursors }: Walk, cursor: string | undefined, next: string): Walk {
	return { of, cursors: [...cursors.slice(0, cursors.indexOf(cursor) + 1), next] };
}

/** The page before that of `cursor`; undefined at the start of the walk. */
export function pageBefore({ cursors }: Walk, cursor: string | undefined): { cursor: string | undefined } | undefined {
	const index = cursors.indexOf(cursor);
	return index > 0 ? { cursor: cursors[index - 1] } : undefined;
}
