// What can be done with the selected animals, in the place of the tools of the list and as high as they are.

import "./desk.css";
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
					<button
						type="button"
						data-edits="status"
						aria-haspopup="menu"
						aria-expanded="false"
						onClick={({ currentTarget }) => desk.ask("status", selection.pets, currentTarget)}
					>
						Set status <kbd>s</kbd>
					</button>
					<button
						type="button"
						data-edits="category"
						aria-haspopup="dialog"
						aria-expanded="false"
						onClick={({ currentTarget }) => desk.ask("category", selection.pets, currentTarget)}
					>
						Category <kbd>c</kbd>
					</button>
					<ExportMenu session={session} subject={{ ids: selection.pets.map(({ id }) => id) }} />
					<button type="button" class="quiet warn" onClick={() => desk.askRemoval(selection.pets)}>
						Remove …
					</button>
				</>
			)}
			<button type="button" class="quiet" onClick={selection.clear}>
				Clear <kbd>Esc</kbd>
			</button>
		</div>
	);
}
