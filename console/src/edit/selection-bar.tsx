// The bar for the selected animals. It replaces the tools of the list.

import "./edit.css";
import type { ComponentChildren } from "preact";
import { useRef, useState } from "preact/hooks";
import type { Pet } from "../../../src/contract/pet.ts";
import { Button, Opener } from "../parts/button.tsx";
import { digits } from "../parts/sentences.ts";
import type { Editor } from "./use-editor.ts";

interface SelectionBarProps {
	editor: Editor;
	/** All animals of the filter; undefined if the page shows all of them, or if they are too many to select. */
	matching: { count: number; load(): Promise<Pet[]> } | undefined;
	/** The menu that exports the animals. */
	children: ComponentChildren;
}

/** The actions for the selected animals. The bar has the same height as the tools of the list. */
export function SelectionBar({ editor, matching, children }: SelectionBarProps) {
	const { selection, pets = [] } = editor;
	const count = useRef<HTMLElement>(null);
	const [hasFailed, setHasFailed] = useState(false);
	const isReady = !selection.isReading;
	const isPage = pets.length > 0 && pets.every(({ id }) => selection.has(String(id)));
	function selectAll(): void {
		if (!matching) return;
		setHasFailed(false);
		void selection.addAll(matching.load).then(
			() => {
				count.current?.focus(); // The button, which had the focus, is gone.
			},
			() => setHasFailed(true),
		);
	}
	return (
		<div class="line selection" role="toolbar" aria-label="Selected animals">
			<b class="num" role="status" tabIndex={-1} ref={count}>
				{digits.format(selection.pets.length)} selected
			</b>
			{matching && isPage && !selection.isBeyond && (
				<Button
					class="quiet all"
					label={hasFailed ? "Not read: try again" : `Select all ${digits.format(matching.count)}`}
					isReady={isReady}
					onClick={selectAll}
				/>
			)}
			{selection.pets.length > 0 && (
				<>
					<Opener
						opens="menu"
						label={["Set status ", <kbd key="s">s</kbd>]}
						data-edits="status"
						isReady={isReady}
						open={(anchor) => editor.ask("status", selection.pets, anchor)}
					/>
					<Opener
						opens="dialog"
						label={["Category ", <kbd key="c">c</kbd>]}
						data-edits="category"
						isReady={isReady}
						open={(anchor) => editor.ask("category", selection.pets, anchor)}
					/>
					{children}
					<Button
						class="quiet warn"
						label="Remove …"
						isReady={isReady}
						onClick={() => editor.askRemoval(selection.pets)}
					/>
				</>
			)}
			<Button class="quiet" label={["Clear ", <kbd key="Esc">Esc</kbd>]} onClick={selection.clear} />
		</div>
	);
}
