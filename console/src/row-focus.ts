// The focus in the list: which row has it, and where shortcuts and commands find their buttons.

/** The id of the animal whose row has the focus. */
export function focusedId(): string | undefined {
	return document.activeElement?.closest<HTMLElement>("tr[data-id]")?.dataset["id"];
}

export function focusRow(id: string | undefined): void {
	const link = document.querySelector<HTMLElement>(`tr[data-id="${id}"] a`);
	link?.focus({ preventScroll: true });
	link?.closest("tr")?.scrollIntoView({ block: "nearest" });
}

/** The button that changes the status or category: in the selection bar, in the focused row, or in the panel. */
export function editButton(what: "status" | "category"): HTMLButtonElement | undefined {
	const places = [".selection", `tr[data-id="${focusedId()}"]`, ".panel"];
	const buttons = places.map((place) => document.querySelector<HTMLButtonElement>(`${place} [data-edits=${what}]`));
	return buttons.find((button) => button !== null) ?? undefined;
}

export const searchField = () => document.querySelector<HTMLInputElement>(".search input");
