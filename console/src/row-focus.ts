// The focus in the list: of which row, and where keys and commands find their buttons.

/** The id of the animal whose row has the focus. */
export function focusedId(): string | undefined {
	return document.activeElement?.closest<HTMLElement>("tr[data-id]")?.dataset["id"];
}

export function focusRow(id: string | undefined): void {
	const link = document.querySelector<HTMLElement>(`tr[data-id="${id}"] a`);
	link?.focus({ preventScroll: true });
	link?.closest("tr")?.scrollIntoView({ block: "nearest" });
}

/** The button of the selection, of the row in focus, or of the panel that changes this. */
export function editButton(what: "status" | "category"): HTMLButtonElement | undefined {
	const places = [".selection", `tr[data-id="${focusedId()}"]`, ".panel"];
	const buttons = places.map((place) => document.querySelector<HTMLButtonElement>(`${place} [data-edits=${what}]`));
	return buttons.find((button) => button !== null) ?? undefined;
}

export const searchField = () => document.querySelector<HTMLInputElement>(".search input");
