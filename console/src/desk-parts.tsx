// The parts of editing that are shown over the list: the menus, the question before a removal, and the toast.

import "./desk.css";
import type { Pet } from "../../src/contract/pet.ts";
import { CategoryMenu } from "./category-menu.tsx";
import { shortName } from "./edits.ts";
import { countOf } from "./notes.tsx";
import { Question } from "./question.tsx";
import { focusRow } from "./row-focus.ts";
import { StatusMenu } from "./status-menu.tsx";
import { Toast } from "./toast.tsx";
import type { Desk } from "./use-desk.ts";

export function DeskParts({ desk }: { desk: Desk }) {
	const { asked, editing } = desk;
	const [first] = asked?.pets ?? [];
	const isOne = asked?.pets.length === 1;
	const what = isOne && first ? shortName(first.name) : countOf(asked?.pets.length ?? 0);
	function undo(): void {
		editing.undo?.();
		// The focused button disappears together with the toast.
		focusRow(String(editing.notice?.undo[0]?.pet.id));
	}
	return (
		<>
			{asked?.what === "status" && first && (
				<StatusMenu
					title={`Status of ${what}`}
					present={isOne ? { status: first.status } : undefined}
					anchor={asked.anchor}
					onChoose={(status) => desk.answer({ action: "set-status", status })}
					onClose={() => desk.answer()}
				/>
			)}
			{asked?.what === "category" && (
				<CategoryMenu
					title={`Category of ${what}`}
					anchor={asked.anchor}
					mayName
					onChoose={(categoryId) => desk.answer({ action: "set-category", categoryId })}
					onClose={() => desk.answer()}
				/>
			)}
			{asked?.what === "removal" && (
				<RemoveDialog pets={asked.pets} onRemove={() => desk.remove(asked.pets)} onClose={desk.closeDialog} />
			)}
			<Toast notice={editing.notice} undo={editing.undo && undo} dismiss={editing.dismiss} />
		</>
	);
}

interface RemoveDialogProps {
	pets: readonly Pet[];
	onRemove(): void;
	onClose(): void;
}

const namesShown = 3;

/** Asks before animals are removed, and names them. */
function RemoveDialog({ pets, onRemove, onClose }: RemoveDialogProps) {
	const names = pets.map(({ name }) => shortName(name));
	const isOne = names.length === 1;
	const what = isOne ? names[0] : countOf(names.length);
	const them = isOne ? "it" : "them";
	const more = names.length > namesShown ? [`${names.length - namesShown} more`] : [];
	const list = new Intl.ListFormat("en").format([...names.slice(0, namesShown), ...more]);
	return (
		<Question title={`Remove ${what}?`} no={`Keep ${them}`} yes={`Remove ${what}`} onYes={onRemove} onClose={onClose}>
			{list} will be gone from the list, from searches and from every export. This cannot be undone. The history keeps
			who removed {them}, and when.
		</Question>
	);
}
