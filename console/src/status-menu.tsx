// The menu that sets a status. Arrow keys or a letter choose the status.

import type { Pet } from "../../src/contract/pet.ts";
import { stateOf } from "./edits.ts";
import { Popover } from "./popover.tsx";
import { petStatuses } from "./route.ts";

interface StatusMenuProps {
	title: string;
	/** The current status; absent for several animals. */
	present?: { status: Pet["status"] };
	anchor: Element;
	onChoose(status: Pet["status"]): void;
	onClose(): void;
}

const statuses = [...petStatuses, undefined];
const keyOf = (status: Pet["status"]) => stateOf(status).charAt(0);

export function StatusMenu({ title, present, anchor, onChoose, onClose }: StatusMenuProps) {
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
