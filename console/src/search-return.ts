// Begins and ends a search by name. Its end returns to the page and the row where it began.

import { type AnimalsRoute, go } from "./route.ts";

/** Where the last search began: the animal in the panel, and the link of the row in focus. */
let before: { id?: string | undefined; row?: string | undefined } = {};

/** @param from what had the focus before the field of the search */
export function beginSearch(route: AnimalsRoute, name: string, from?: Element): void {
	if (route.name === undefined) before = { id: route.id, row: from?.getAttribute("href") ?? undefined };
	// The cursor stays: it is that of the page to return to.
	go({ ...route, name, id: undefined });
}

export function endSearch(route: AnimalsRoute): void {
	const { id, row } = before;
	before = {};
	function focusRow(): void {
		const link = document.querySelector<HTMLElement>(row ? `tbody a[href="${CSS.escape(row)}"]` : "tbody tr.on a");
		link?.focus({ preventScroll: true });
		link?.scrollIntoView({ block: "nearest" });
	}
	// The rows of the page are there after the render that follows the new address.
	addEventListener("hashchange", () => requestAnimationFrame(focusRow), { once: true });
	go({ ...route, name: undefined, id });
}
