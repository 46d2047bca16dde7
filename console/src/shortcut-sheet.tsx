// The sheet of keyboard shortcuts (?), where single keys can be turned off.

import "./dialogs.css";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { KeyButton } from "./button.tsx";
import { type Key, KeyList } from "./idle-panel.tsx";
import type { Session } from "./session.ts";
import { areShortcutsOn, turnShortcuts } from "./shortcuts.ts";

const keys: Key[] = [
	["Ctrl K", "All commands"],
	["/", "Find by name"],
	["↑  ↓", "Previous or next animal, also k and j"],
	["Enter", "Open the animal in focus"],
	["s", "Set its status, or that of the selection", "pets:edit"],
	["c", "Set its category, or that of the selection", "pets:edit"],
	["F2", "Rename it", "pets:edit"],
	["Delete", "Remove it, or the selection", "pets:edit"],
	["x", "Select it", "pets:edit"],
	["Shift ↑  ↓", "Select several", "pets:edit"],
	["Ctrl Z", "Undo, while it is offered", "pets:edit"],
	["[  ]", "Previous or next page"],
	["{  }", "First page, newest animals"],
	["n", "Add an animal", "pets:write"],
	["m", "Add many", "pets:write"],
	["g a", "Go to Animals"],
	["g c", "Go to Activity"],
	["g d", "Go to the reference"],
	["Esc", "Close"],
	["?", "This sheet"],
];

export function ShortcutSheet({ session, onClose }: { session: Session; onClose(): void }) {
	const dialog = useRef<HTMLDialogElement>(null);
	const [isOn, setIsOn] = useState(areShortcutsOn);
	useLayoutEffect(() => dialog.current?.showModal(), []);
	return (
		<dialog class="keys" aria-labelledby="keys-heading" ref={dialog} onClose={onClose}>
			<div class="head">
				<h2 id="keys-heading">Keyboard</h2>
				<KeyButton keys="Esc" meaning="close" class="close" onClick={() => dialog.current?.close()} />
			</div>
			<KeyList keys={keys} session={session} />
			<label class="check">
				<input
					type="checkbox"
					checked={isOn}
					onChange={({ currentTarget: { checked } }) => {
						turnShortcuts(checked);
						setIsOn(checked);
					}}
				/>{" "}
				Use single-key shortcuts
			</label>
		</dialog>
	);
}
