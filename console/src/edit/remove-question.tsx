// Asks before animals are removed.

import type { Pet } from "../../../src/contract/pet.ts";
import { Question } from "../parts/question.tsx";
import { countOf, listOf, shortName } from "../parts/sentences.ts";

interface RemoveQuestionProps {
	pets: readonly Pet[];
	onRemove(): void;
	onClose(): void;
}

const namesShown = 3;

/** Asks before animals are removed, and names them. */
export function RemoveQuestion({ pets, onRemove, onClose }: RemoveQuestionProps) {
	const names = pets.map(({ name }) => shortName(name));
	const isOne = names.length === 1;
	const what = isOne ? names[0] : countOf(names.length);
	const them = isOne ? "it" : "them";
	const more = names.length > namesShown ? [`${names.length - namesShown} more`] : [];
	const list = listOf([...names.slice(0, namesShown), ...more]);
	return (
		<Question title={`Remove ${what}?`} no={`Keep ${them}`} yes={`Remove ${what}`} onYes={onRemove} onClose={onClose}>
			{list} will be gone from the list, from searches and from every export. This cannot be undone. The history keeps
			who removed {them}, and when.
		</Question>
	);
}
