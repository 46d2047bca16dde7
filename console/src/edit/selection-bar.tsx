// The bar of the selected animals, in place of the tools of the list.

import "./edit.css";
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import type { Pet } from "../../../src/contract/pet.ts";
import { Button, Opener } from "../parts/button.tsx";
import { digits, sentenceOf } from "../parts/sentences.ts";
import type { Editor } from "./use-editor.ts";

interface SelectionBarProps {
	editor: Editor;
	/** The animals of all pages, if they are not too many. */
	matching: { count: number; load(): Promise<Pet[]> } | undefined;
	/** The menu that exports the animals. */
	children: ComponentChildren;
}

/** The actions for the selected animals. The bar replaces the tools of the list, and has the same height. */
export function SelectionBar({ editor, matching, children }: SelectionBarProps) {
	const { selection, pets = [] } = editor;
	const [problem, setProblem] = useState("");
	const isPage = pets.length > 0 && selection.pets.length === pets.length;
	const selectAll = () => matching?.load().then(selection.add, (failure) => setProblem(sentenceOf(failure)));
	return (
		<div class="line selection" role="toolbar" aria-label="Selected animals">
			<b class="num" role="status">
				{digits.format(selection.pets.length)} selected {problem}
			</b>
			{matching && isPage && !selection.isBeyond && (
				<Button class="quiet all" label={`Select all ${digits.format(matching.count)}`} onClick={selectAll} />
			)}
			{selection.pets.length > 0 && (
				<>
					<Opener
						opens="menu"
						label={["Set status ", <kbd key="s">s</kbd>]}
						data-edits="status"
						open={(anchor) => editor.ask("status", selection.pets, anchor)}
					/>
					<Opener
						opens="dialog"
						label={["Category ", <kbd key="c">c</kbd>]}
						data-edits="category"
						open={(anchor) => editor.ask("category", selection.pets, anchor)}
					/>
					{children}
					<Button class="quiet warn" label="Remove …" onClick={() => editor.askRemoval(selection.pets)} />
				</>
			)}
			<Button class="quiet" label={["Clear ", <kbd key="Esc">Esc</kbd>]} onClick={selection.clear} />
		</div>
	);
}
