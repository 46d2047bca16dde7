// The shortcuts of the list, which move through its animals and pages, and open the status menu.

import { useRef } from "preact/hooks";
import { sorts } from "../../../src/contract/console.ts";
import type { Pet } from "../../../src/contract/pet.ts";
import { askWithKey, type Editor, editCommands } from "../edit/use-editor.ts";
import { type AnimalsRoute, showFirst, showPet } from "../parts/route.ts";
import { endSearch, focusedId, focusRow, searchField } from "../parts/row-focus.ts";
import { type Command, useCommands, useShortcuts } from "../parts/shortcuts.ts";
import { sortBy, sortings } from "./pet-table.tsx";
import type { ListPage } from "./use-list.ts";

interface ListKeysOptions {
	route: AnimalsRoute;
	pets: Pet[];
	page: ListPage | undefined;
	editor: Editor | undefined;
	reload(): void;
	closePanel(): void;
}

/** @returns a function that moves the focus to the next or previous animal; an open panel then shows that animal */
export function useListKeys(options: ListKeysOptions): (by: 1 | -1) => void {
	const { route, pets, editor, closePanel } = options;
	/** The last position of the focus, in case the row disappears from the list. */
	const lastAt = useRef(-1);

	/** Moves the focus to another row. @returns the id of the animal in that row */
	function move(by: 1 | -1): string | undefined {
		const id = focusedId() ?? route.id;
		const at = pets.findIndex((pet) => String(pet.id) === id);
		const wanted = at >= 0 ? at + by : by > 0 ? Math.max(lastAt.current, 0) : lastAt.current - 1;
		const to = Math.max(0, Math.min(wanted, pets.length - 1));
		const next = pets[to] && String(pets[to].id);
		if (next === undefined) return undefined;
		lastAt.current = to;
		if (route.id !== undefined) showPet(route, next);
		focusRow(next);
		return next;
	}
	function select(by: 1 | -1): void {
		const from = focusedId();
		const to = move(by);
		if (!editor || !to) return;
		if (from && !editor.selection.has(from)) editor.selection.toggle(from);
		editor.selection.extend(to);
	}
	function leave(): void {
		if (!editor?.selection.isShown) closePanel();
		else {
			const [first] = editor.selection.pets;
			// A button in the selection's bar may have the focus, but the bar disappears when the selection ends.
			if (focusedId() === undefined) focusRow(first && String(first.id));
			editor.selection.clear();
		}
	}
	const moves = [
		{ label: "Next animal", keys: "j", run: () => move(1) },
		{ label: "Previous animal", keys: "k", run: () => move(-1) },
	];
	useShortcuts({
		ArrowDown: () => move(1),
		ArrowUp: () => move(-1),
		"Shift+ArrowDown": () => select(1),
		"Shift+ArrowUp": () => select(-1),
		Escape: leave,
		...(editor && { s: () => askWithKey(editor, "status", route.id) }),
	});
	useCommands(() => [...(editor ? editCommands(editor, route.id) : []), ...moves, ...pageCommands(options)]);
	return move;
}

function pageCommands({ route, page, reload }: ListKeysOptions): Command[] {
	const turn = (label: string, keys: string, cursor: string | undefined, isPossible = cursor !== undefined) =>
		isPossible ? [{ label, keys, run: () => showFirst(route, { cursor }) }] : [];
	return [
		...turn("Next page", "]", page?.next),
		...turn("Previous page", "[", page?.prev),
		...turn("First page", "{", undefined, route.cursor !== undefined),
		...turn("Newest animals", "}", page?.last),
		{ label: "Find by name", keys: "/", run: () => searchField()?.select() },
		...(route.name ? [{ label: "Back to the list", run: () => endSearch(route) }] : []),
		{ label: "Refresh the list", run: reload },
		...sorts.map((sort) => ({ label: `Sort the list ${sortings[sort]}`, run: () => sortBy(route, sort) })),
	];
}
