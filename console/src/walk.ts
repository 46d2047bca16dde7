// The way back: a page's Link knows the page behind it, not the one before, so the console keeps the cursors that it walked.

import type { AnimalsRoute } from "./route.ts";

export interface Walk {
	/** The filter and page size that the cursors belong to. */
	of: string;
	/** In the order of the pages; undefined is the first page. */
	cursors: (string | undefined)[];
}

export const noWalk: Walk = { of: "", cursors: [] };

/** The walk that a page belongs to: the one so far, or a new one where a link or another filter began. */
export function walkAt(walk: Walk, { status, limit, cursor }: AnimalsRoute): Walk {
	const of = `${status} ${limit}`;
	return walk.of === of && walk.cursors.includes(cursor) ? walk : { of, cursors: [cursor] };
}

/** The walk with the page `next` behind that of `cursor`. */
export function walkOn({ of, cursors }: Walk, cursor: string | undefined, next: string): Walk {
	return { of, cursors: [...cursors.slice(0, cursors.indexOf(cursor) + 1), next] };
}

/** The page before that of `cursor`; undefined when the walk began there. */
export function pageBefore({ cursors }: Walk, cursor: string | undefined): { cursor: string | undefined } | undefined {
	const index = cursors.indexOf(cursor);
	return index > 0 ? { cursor: cursors[index - 1] } : undefined;
}
