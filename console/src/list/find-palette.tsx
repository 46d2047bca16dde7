// The palette, with additional commands that search the whole store for the entered text.

import { useContext } from "preact/hooks";
import { foldedText } from "../../../src/contract/equal-texts.ts";
import { type Categories, CategoriesContext } from "../categories/categories.ts";
import { Palette } from "../parts/palette.tsx";
import { type AnimalsRoute, firstAnimals, go, idOf, type Route } from "../parts/route.ts";
import { beginSearch } from "../parts/row-focus.ts";
import type { Command } from "../parts/shortcuts.ts";

export function FindPalette({ route, onClose }: { route: Route; onClose(): void }) {
	const { all } = useContext(CategoriesContext);
	return <Palette commandsFor={(text) => commandsFor(text, route, all)} onClose={onClose} />;
}

/** The commands use the sort order and the page size of the current list. */
function commandsFor(text: string, route: Route, categories: Categories["all"]): Command[] {
	const { limit, sort } = route.view === "animals" ? route : firstAnimals();
	const list: AnimalsRoute = { view: "animals", limit, sort };
	const id = idOf(text);
	const wanted = foldedText(text);
	const named = text ? categories.filter(({ name = "" }) => foldedText(name).includes(wanted)).slice(0, 5) : [];
	return [
		...named.map(({ id, name }) => ({
			label: `Show the category ${name} ${id}`,
			run: () => go({ ...list, category: String(id) }),
		})),
		...(id ? [{ label: `Open the animal with the id ${id}`, run: () => go({ ...list, id }) }] : []),
		...(text ? [{ label: `Find animals named “${text}”`, run: () => beginSearch(list, text) }] : []),
	];
}
