// A chip that shows one filter or the order of a list. A click removes the filter or the order.

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

/** Gives the focus to the element before a chip that disappears. */
export function focusBefore({ previousElementSibling: before }: Element): void {
	if (before instanceof HTMLElement) (before.querySelector("button") ?? before).focus();
}

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
