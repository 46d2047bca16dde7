// The menus and questions for edits, which are shown over the list.

import "./edit.css";
import { useContext } from "preact/hooks";
import type { Pet } from "../../../src/contract/pet.ts";
import { CategoriesContext } from "../categories/categories.ts";
import { CategoryMenu } from "../categories/category-menu.tsx";
import { Popover } from "../parts/popover.tsx";
import { Question } from "../parts/question.tsx";
import { petStatuses } from "../parts/route.ts";
import { countOf, shortName, stateOf } from "../parts/sentences.ts";
import { type Change, type LabelOf, stateAfter } from "./edits.ts";
import { RemoveQuestion } from "./remove-question.tsx";
import type { Editor } from "./use-editor.ts";

export function EditParts({ editor }: { editor: Editor }) {
	const { asked } = editor;
	const { labelOf } = useContext(CategoriesContext);
	const [first] = asked?.pets ?? [];
	const isOne = asked?.pets.length === 1;
	const categories = new Set(asked?.pets.map(({ categoryId }) => categoryId));
	const [category] = categories.size === 1 ? categories : [];
	const what = isOne && first ? shortName(first.name) : countOf(asked?.pets.length ?? 0);
	return (
		<>
			{asked?.what === "status" && first && (
				<StatusMenu
					title={`Status of ${what}`}
					present={isOne ? { status: first.status } : undefined}
					anchor={asked.anchor}
					onChoose={(status) => editor.answer({ action: "set-status", status })}
					onClose={() => editor.answer()}
				/>
			)}
			{asked?.what === "category" && (
				<CategoryMenu
					title={`Category of ${what}`}
					anchor={asked.anchor}
					present={String(category ?? "")}
					mayName
					onChoose={(id) => editor.answer(id === category ? undefined : { action: "set-category", categoryId: id })}
					onClose={() => editor.answer()}
				/>
			)}
			{asked?.what === "change" && (
				<Question
					title={`Change ${what}?`}
					no="Change nothing"
					yes={`Change ${what}`}
					look="primary"
					onYes={() => editor.applySurely(asked.pets, asked.change)}
					onClose={editor.closeDialog}
				>
					They will {futureOf(asked.change, labelOf)}, unless somebody else changes them first. One undo changes all of
					them back.
				</Question>
			)}
			{asked?.what === "removal" && (
				<RemoveQuestion pets={asked.pets} onRemove={() => editor.remove(asked.pets)} onClose={editor.closeDialog} />
			)}
		</>
	);
}

const futureOf = (change: Change, labelOf: LabelOf) =>
	change.action === "set-status" && !change.status ? "have no status" : `be ${stateAfter(change, labelOf)}`;

interface StatusMenuProps {
	title: string;
	/** The current status; absent for several animals. */
	present?: { status: Pet["status"] };
	anchor: HTMLElement;
	onChoose(status: Pet["status"]): void;
	onClose(): void;
}

const statuses = [...petStatuses, undefined];
const keyOf = (status: Pet["status"]) => stateOf(status).charAt(0);

/** The menu that sets a status. Arrow keys or a letter choose the status. */
function StatusMenu({ title, present, anchor, onChoose, onClose }: StatusMenuProps) {
	function listen(event: KeyboardEvent): void {
		const letter = statuses.findIndex((status) => keyOf(status) === event.key.toLowerCase());
		if (letter >= 0 && !event.ctrlKey && !event.metaKey) onChoose(statuses[letter]);
		else if (event.key === "Tab") onClose();
		else return;
		event.preventDefault();
	}
	return (
		<Popover look="status-menu" focus={["[aria-checked=true]", "button"]} {...{ title, anchor, onClose }}>
			<div role="menu" aria-label={title} onKeyDown={listen}>
				{statuses.map((status) => (
					<button
						key={stateOf(status)}
						type="button"
						role="menuitemradio"
						aria-checked={present !== undefined && present.status === status}
						onClick={() => onChoose(status)}
					>
						<span class={`dot ${status ?? "none"}`} />
						<span class="label">{stateOf(status)}</span>
						<kbd>{keyOf(status)}</kbd>
					</button>
				))}
			</div>
		</Popover>
	);
}
