// The focus in the list: which row has the focus, which button a shortcut or command uses, and where the focus returns
// after a search by name.

import { type AnimalsRoute, go, replace, shownTexts } from "./route.ts";

/** The id of the animal whose row has the focus. */
export function focusedId(): string | undefined {
	return document.activeElement?.closest<HTMLElement>("tr[data-id]")?.dataset["id"];
}

export const focusRow = (id: string | undefined) => focusLink(`tr[data-id="${id}"] a`);

export const focusFirst = () => focusLink("tbody a");

/** @returns whether there is such a link */
function focusLink(selector: string): boolean {
	const link = document.querySelector<HTMLElement>(selector);
	link?.focus({ preventScroll: true });
	link?.closest("tr")?.scrollIntoView({ block: "nearest" });
	return link !== null;
}

/** The button that changes the status or category: in the selection bar, in the focused row, or in the panel. */
export function editButton(what: "status" | "category"): HTMLButtonElement | undefined {
	const places = [".selection", `tr[data-id="${focusedId()}"]`, ".panel"];
	const buttons = places.map((place) => document.querySelector<HTMLButtonElement>(`${place} [data-edits=${what}]`));
	return buttons.find((button) => button !== null) ?? undefined;
}

export const searchField = () => document.querySelector<HTMLInputElement>(".search input");

/** Where the last search began: the address, and the link in the row that had the focus. */
let before: { route?: AnimalsRoute; row?: string | undefined } = {};
/** The row that gets the focus when the rows of the list appear. */
let wanted: string | undefined;

/**
 * Begins a search by name. When the search ends, the list shows the page and the row where the search began.
 * @param from the element that had the focus before the search field
 */
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

/** Gives the focus to the wanted row, if there is one. Called when the rows of a list have appeared. */
export function focusReturned(): void {
	if (wanted && !focusLink(wanted)) focusFirst();
	wanted = undefined;
}
