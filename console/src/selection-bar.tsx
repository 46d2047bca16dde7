// The actions for the selected animals. The bar replaces the tools of the list, and has the same height.

import "./desk.css";
import { Button, Opener } from "./button.tsx";
import { ExportMenu } from "./export-menu.tsx";
import type { Session } from "./session.ts";
import type { Desk } from "./use-desk.ts";

export function SelectionBar({ session, desk }: { session: Session; desk: Desk }) {
	const { selection } = desk;
	return (
		<div class="selection" role="toolbar" aria-label="Selected animals">
			<b class="num" role="status">
				{selection.pets.length} selected
			</b>
			{selection.pets.length > 0 && (
				<>
					<Opener
						opens="menu"
						label={["Set status ", <kbd key="s">s</kbd>]}
						data-edits="status"
						open={(anchor) => desk.ask("status", selection.pets, anchor)}
					/>
					<Opener
						opens="dialog"
						label={["Category ", <kbd key="c">c</kbd>]}
						data-edits="category"
						open={(anchor) => desk.ask("category", selection.pets, anchor)}
					/>
					<ExportMenu session={session} subject={{ ids: selection.pets.map(({ id }) => id) }} />
					<Button class="quiet warn" label="Remove …" onClick={() => desk.askRemoval(selection.pets)} />
				</>
			)}
			<Button class="quiet" label={["Clear ", <kbd key="Esc">Esc</kbd>]} onClick={selection.clear} />
		</div>
	);
}
