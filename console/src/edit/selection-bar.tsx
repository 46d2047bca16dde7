// The bar of the selected animals, in place of the tools of the list.

import "./edit.css";
import type { ComponentChildren } from "preact";
import { Button, Opener } from "../parts/button.tsx";
import type { Editor } from "./use-editor.ts";

/**
 * The actions for the selected animals. The bar replaces the tools of the list, and has the same height.
 * @param children the menu that exports the animals
 */
export function SelectionBar({ editor, children }: { editor: Editor; children: ComponentChildren }) {
	const { selection } = editor;
	return (
		<div class="line selection" role="toolbar" aria-label="Selected animals">
			<b class="num" role="status">
				{selection.pets.length} selected
			</b>
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
