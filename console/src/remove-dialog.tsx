// Asks before animals are removed, because nothing brings them back. It names them, and Enter alone never removes.

import { useLayoutEffect, useRef } from "preact/hooks";
import type { Pet } from "../../src/contract/pet.ts";
import { shortName } from "./edits.ts";
import { countOf } from "./notes.tsx";

interface RemoveDialogProps {
	pets: readonly Pet[];
	onRemove(): void;
	onClose(): void;
}

const namesShown = 3;

export function RemoveDialog({ pets, onRemove, onClose }: RemoveDialogProps) {
	const dialog = useRef<HTMLDialogElement>(null);
	useLayoutEffect(() => dialog.current?.showModal(), []);
	const names = pets.map(({ name }) => shortName(name));
	const isOne = names.length === 1;
	const what = isOne ? names[0] : countOf(names.length);
	const more = names.length > namesShown ? [`${names.length - namesShown} more`] : [];
	const list = new Intl.ListFormat("en").format([...names.slice(0, namesShown), ...more]);
	return (
		<dialog
			class="ask"
			role="alertdialog"
			aria-labelledby="remove-heading"
			aria-describedby="remove-text"
			ref={dialog}
			onClose={onClose}
		>
			<h2 id="remove-heading">Remove {what}?</h2>
			<p id="remove-text" class="soft">
				{list} will be gone from the list, from find and from every export. This cannot be undone. The history keeps who
				removed {isOne ? "it" : "them"}, and when.
			</p>
			<div class="actions">
				<button type="button" onClick={() => dialog.current?.close()}>
					Keep {isOne ? "it" : "them"}
				</button>
				<button
					type="button"
					class="danger"
					onClick={() => {
						dialog.current?.close();
						onRemove();
					}}
				>
					Remove {what}
				</button>
			</div>
		</dialog>
	);
}
