// Begins and ends a search by name. Ending a search returns to the page and the row where the search began.

import { type AnimalsRoute, go, replace, shownTexts } from "./route.ts";

/** Where the last search began: the address, and the link of the row in focus. */
let before: { route?: AnimalsRoute; row?: string | undefined } = {};
/** The row that gets the focus when the rows of the list appear. */
let wanted: string | undefined;

/** @param from the element that had the focus before the search field */
export function beginSearch(route: AnimalsRoute, name: string, from?: Element): void {
	const next = { ...route, name, cursor: undefined, id: undefined };
	if (route.name !== undefined) replace(next);
	else {
		before = { route, row: from?.getAttribute("href") ?? undefined };
		go(next);
	}
}

/** @param isTyping whether the focus stays in the field */
export function endSearch(route: AnimalsRoute, isTyping = false): void {
	const list: AnimalsRoute = { ...route, name: undefined, cursor: undefined, id: undefined };
	const textOf = (shown: AnimalsRoute) => JSON.stringify(shownTexts(shown));
	const isSame = before.route !== undefined && textOf(before.route) === textOf(list);
	if (!isTyping) wanted = before.row ? `tbody a[href="${CSS.escape(before.row)}"]` : "tbody tr.on a";
	go(isSame && before.route ? before.route : list);
	before = {};
}

/** Called when the rows of a list have appeared. */
export function focusReturned(): void {
	if (wanted === undefined) return;
	const link = document.querySelector<HTMLElement>(wanted);
	wanted = undefined;
	link?.focus({ preventScroll: true });
	link?.scrollIntoView({ block: "nearest" });
}
