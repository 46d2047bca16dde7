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

/** The button of the selection, of the row in focus, or of the panel. */
export function statusButton(): HTMLButtonElement | null {
	const row = `tr[data-id="${focusedId()}"] button.pill`;
	return (
		document.querySelector<HTMLButtonElement>(".selection [aria-haspopup=menu]") ??
		document.querySelector<HTMLButtonElement>(row) ??
		document.querySelector<HTMLButtonElement>(".panel button.pill")
	);
}

export const searchField = () => document.querySelector<HTMLInputElement>(".search input");
