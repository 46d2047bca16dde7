// Editing in the list: the selection, the open menu or question, the edits, and the commands for the animal in focus.

import { useEffect, useState } from "preact/hooks";
import type { Pet } from "../../../src/contract/pet.ts";
import { type AnimalsRoute, hashOf, petStatuses, showPet } from "../parts/route.ts";
import { editButton, focusedId, focusFirst, focusRow } from "../parts/row-focus.ts";
import { shortName, stateOf } from "../parts/sentences.ts";
import type { Command } from "../parts/shortcuts.ts";
import { may, type Session } from "../session/session.ts";
import type { Change } from "./edits.ts";
import { type Edits, useSettled } from "./use-edits.ts";
import { type Selection, useSelection } from "./use-selection.ts";

type Asked = { pets: readonly Pet[] } & (
	| { what: "status" | "category"; anchor: HTMLElement }
	| { what: "removal" }
	/** The question before a change of selected animals, some of which may not be on the page. */
	| { what: "change"; change: Change }
);

export interface Editor {
	/** The animals in the list, with edits applied; undefined before the first reply. */
	pets: Pet[] | undefined;
	edits: Edits;
	selection: Selection;
	/** The subject of the open menu or dialog. */
	asked: Asked | undefined;
	/** @param anchor the element at which the menu opens */
	ask(what: "status" | "category", pets: readonly Pet[], anchor: HTMLElement): void;
	askRemoval(pets: readonly Pet[]): void;
	/** @param change if absent, nothing is changed */
	answer(change?: Change): void;
	/** Changes the animals; asks first if some of them are not on the page. */
	apply(pets: readonly Pet[], change: Change): void;
	applySurely(pets: readonly Pet[], change: Change): void;
	remove(pets: readonly Pet[]): void;
	closeDialog(): void;
	renamed: string | undefined;
	startRename(id: string): void;
	/** @param name if undefined, the name stays */
	endRename(pet: Pet, name?: string): void;
}

interface EditorOptions {
	route: AnimalsRoute;
	/** The animals as the service sent them; undefined before the first reply. */
	read: readonly Pet[] | undefined;
	edits: Edits;
}

/** Returns undefined if the key may not edit; then no editing controls are shown. */
export function useEditor(session: Session, { route, read, edits }: EditorOptions): Editor | undefined {
	const pets = read && edits.edited(read);
	const selection = useSelection(pets ?? [], hashOf({ ...route, id: undefined }), edits.edited);
	// An edit ends a selection with animals that are not on the page, because the data of such animals may be old.
	useSettled(edits, () => selection.isBeyond && selection.clear());
	const [asked, setAsked] = useState<Asked>();
	const [renamed, setRenamed] = useState<string>();
	// Renaming ends when another animal is opened.
	useEffect(() => setRenamed((id) => (id === route.id ? id : undefined)), [route.id]);
	if (!may(session, "pets:edit")) return undefined;
	function apply(about: readonly Pet[], change: Change): void {
		if (selection.isBeyond && about.length > 1) setAsked({ what: "change", pets: about, change });
		else edits.apply(about.map((pet) => ({ pet, change })));
	}
	return {
		pets,
		edits,
		selection,
		asked,
		ask: (what, about, anchor) => about.length > 0 && setAsked({ what, pets: about, anchor }),
		askRemoval: (about) => about.length > 0 && setAsked({ what: "removal", pets: about }),
		answer(change) {
			setAsked(undefined);
			if (asked && change) apply(asked.pets, change);
		},
		apply,
		applySurely(about, change) {
			selection.clear();
			edits.apply(about.map((pet) => ({ pet, change })));
			// Waits until the dialog has returned the focus.
			requestAnimationFrame(focusFirst);
		},
		remove(gone) {
			const next = neighborOf(gone, pets ?? []);
			selection.clear();
			if (gone.some(({ id }) => String(id) === route.id)) showPet(route, undefined);
			edits.apply(gone.map((pet) => ({ pet, change: { action: "remove" } })));
			// Waits until the dialog has returned the focus.
			requestAnimationFrame(() => focusRow(next));
		},
		closeDialog: () => setAsked((now) => (now && "anchor" in now ? now : undefined)),
		renamed,
		startRename(id) {
			showPet(route, id);
			setRenamed(id);
		},
		endRename(pet, given) {
			setRenamed(undefined);
			if (given !== undefined && given !== pet.name) edits.apply([{ pet, change: { action: "rename", name: given } }]);
		},
	};
}

/** The id of the animal that follows the removed animals in the list; if none follows, the animal before them. */
function neighborOf(gone: readonly Pet[], shown: readonly Pet[]): string | undefined {
	const isGone = (pet: Pet) => gone.some(({ id }) => id === pet.id);
	const last = shown.findLastIndex(isGone);
	const next = shown.slice(last + 1)[0] ?? shown.slice(0, Math.max(last, 0)).findLast((pet) => !isGone(pet));
	return next && String(next.id);
}

/** The selected animals; without a selection, the animal in focus or in the panel. None while the selection is read. */
function subjectsOf({ pets, selection }: Editor, id: string | undefined): Pet[] {
	if (selection.isReading) return [];
	return selection.pets.length > 0 ? selection.pets : (pets?.filter((pet) => String(pet.id) === id) ?? []);
}

export function askWithKey(editor: Editor, what: "status" | "category", openId: string | undefined): void {
	editor.ask(what, subjectsOf(editor, focusedId() ?? openId), editButton(what) ?? document.body);
}

/** Commands for the selected animals; without a selection, for the animal in focus or in the panel. */
export function editCommands(editor: Editor, openId: string | undefined): Command[] {
	const { selection } = editor;
	const id = focusedId() ?? openId;
	const pets = subjectsOf(editor, id);
	const current = editor.pets?.find((pet) => String(pet.id) === id);
	const what = pets.length === 1 ? shortName(pets[0]?.name ?? "") : `${pets.length} animals`;
	const onAny = [...petStatuses, undefined].map((status) => ({
		label: `Mark ${what} as ${stateOf(status)}`,
		keys: `s ${stateOf(status).charAt(0)}`,
		run: () => editor.apply(pets, { action: "set-status", status }),
	}));
	const move = {
		label: `Change the category of ${what} …`,
		keys: "c",
		run: () => askWithKey(editor, "category", openId),
	};
	const remove = { label: `Remove ${what} …`, keys: "Delete", run: () => editor.askRemoval(pets) };
	const onOne = id !== undefined &&
		current && [
			{ label: `Rename ${shortName(current.name)}`, keys: "F2", run: () => editor.startRename(id) },
			{
				label: `${selection.has(id) ? "Deselect" : "Select"} ${shortName(current.name)}`,
				keys: "x",
				run: () => selection.toggle(id),
			},
		];
	return [
		...(pets.length > 0 ? [...onAny, move, remove] : []),
		...(onOne || []),
		{ label: "Select all on this page", run: selection.all },
		...(selection.isShown ? [{ label: "Select none", run: selection.clear }] : []),
	];
}
