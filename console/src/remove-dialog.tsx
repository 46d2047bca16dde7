// Asks before animals are removed, and names them.

import type { Pet } from "../../src/contract/pet.ts";
import { shortName } from "./edits.ts";
import { countOf } from "./notes.tsx";
import { Question } from "./question.tsx";

interface RemoveDialogProps {
	pets: readonly Pet[];
	onRemove(): void;
	onClose(): void;
}

const namesShown = 3;

export function RemoveDialog({ pets, onRemove, onClose }: RemoveDialogProps) {
	const names = pets.map(({ name }) => shortName(name));
	const isOne = names.length === 1;
	const what = isOne ? names[0] : countOf(names.length);
	const them = isOne ? "it" : "them";
	const more = names.length > namesShown ? [`${names.length - namesShown} more`] : [];
	const list = new Intl.ListFormat("en").format([...names.slice(0, namesShown), ...more]);
	return (
		<Question title={`Remove ${what}?`} no={`Keep ${them}`} yes={`Remove ${what}`} onYes={onRemove} onClose={onClose}>
			{list} will be gone from the list, from find and from every export. This cannot be undone. The history keeps who
			removed {them}, and when.
		</Question>
	);
}
