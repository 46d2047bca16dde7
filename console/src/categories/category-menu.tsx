// Menus of categories: CategoryMenu chooses a category for animals or for the filter, NameMenu edits a category's name.

import { useContext, useRef, useState } from "preact/hooks";
import type { Category } from "../../../src/contract/console.ts";
import { Button } from "../parts/button.tsx";
import { Form } from "../parts/fields.tsx";
import { Problem } from "../parts/notes.tsx";
import { Popover } from "../parts/popover.tsx";
import { sentenceOf } from "../parts/sentences.ts";
import { CategoriesContext } from "./categories.ts";
import type { Choice } from "./category-choices.ts";
import { CategoryField } from "./category-field.tsx";

interface CategoryMenuProps {
	title: string;
	anchor: HTMLElement;
	/** The category that is ticked; empty if there is none, or several. */
	present: string;
	mayName: boolean;
	onChoose(id: bigint): void;
	onAll?: (() => void) | undefined;
	onClose(): void;
}

const look = { look: "category-menu", role: "dialog", focus: ["input"] } as const;

export function CategoryMenu({ title, anchor, present, mayName, onChoose, onAll, onClose }: CategoryMenuProps) {
	const categories = useContext(CategoriesContext);
	const [text, setText] = useState("");
	const { problem, attempt } = useAttempt();
	const choose = (choice: Choice) =>
		attempt(async () => {
			const id = choice.id ?? (await categories.name(choice.name)).id;
			onChoose(id);
		});
	return (
		<Popover {...look} {...{ title, anchor, onClose }}>
			<CategoryField
				text={text}
				enter={setText}
				{...{ mayName, present }}
				isOpen
				onChoose={choose}
				attributes={{ "aria-label": "Name or number", placeholder: "Name or number" }}
			/>
			<Problem>{problem}</Problem>
			{onAll && <Button class="quiet" label="All categories" onClick={onAll} />}
		</Popover>
	);
}

interface NameMenuProps {
	category: Category;
	anchor: HTMLElement;
	onClose(): void;
}

export function NameMenu({ category: { id, name = "" }, anchor, onClose }: NameMenuProps) {
	const categories = useContext(CategoriesContext);
	const field = useRef<HTMLInputElement>(null);
	const { problem, attempt } = useAttempt();
	const keep = (text: string | undefined) =>
		attempt(async () => {
			const result = text === name ? undefined : await categories.name(text, id);
			if (result?.outcome === "taken") return `Category ${result.id} already has this name.`;
			onClose();
		});
	return (
		<Popover {...look} title={`Name of category ${id}`} {...{ anchor, onClose }}>
			<Form onSubmit={() => keep(field.current?.value.trim() ?? "")}>
				<input
					aria-label="Name"
					dir="auto"
					autocomplete="off"
					maxLength={100}
					required
					defaultValue={name}
					ref={field}
				/>
				<Problem>{problem}</Problem>
				<button type="submit">Save the name</button>
				{name && <Button class="quiet" label="Remove the name" onClick={() => keep(undefined)} />}
			</Form>
		</Popover>
	);
}

/** Runs one action at a time, and keeps the reason if an action fails. */
function useAttempt() {
	const [problem, setProblem] = useState("");
	const isBusy = useRef(false);
	async function attempt(work: () => Promise<string | undefined>): Promise<void> {
		if (isBusy.current) return;
		isBusy.current = true;
		setProblem("");
		try {
			setProblem((await work()) ?? "");
		} catch (failure) {
			setProblem(sentenceOf(failure));
		} finally {
			isBusy.current = false;
		}
	}
	return { problem, attempt };
}
