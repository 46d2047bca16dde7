// What a list is filtered or sorted by: a click ends it.

import { Button } from "./button.tsx";

export const Cross = () => (
	<span class="cross" aria-hidden="true">
		×
	</span>
);

interface ActiveChipProps {
	label: string;
	meaning: string;
	class?: string;
	onRemove(): void;
}

/** Gives the focus to the chip before one that goes. */
export function focusBefore({ previousElementSibling: before }: Element): void {
	if (before instanceof HTMLElement) (before.querySelector("button") ?? before).focus();
}

/** Says what is filtered or sorted by; a click ends it. */
export const ActiveChip = ({ label, meaning, class: look = "", onRemove }: ActiveChipProps) => (
	<Button
		class={`chip ${look}`}
		label={[label, <Cross key="remove" />]}
		aria-label={meaning}
		onClick={({ currentTarget }) => {
			focusBefore(currentTarget);
			onRemove();
		}}
	/>
);
