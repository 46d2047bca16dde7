// The menus of categories: one sets the category of animals, or filters the list by one; the other names a category.

import "./desk.css";
import { useContext, useRef, useState } from "preact/hooks";
import type { Category } from "../../src/contract/console.ts";
import { CategoriesContext } from "./categories.ts";
import type { Choice } from "./category-choices.ts";
import { CategoryField } from "./category-field.tsx";
import { sentenceOf } from "./notes.tsx";
import { usePopover } from "./use-popover.ts";

interface CategoryMenuProps {
	title: string;
	anchor: Element;
	mayName: boolean;
	onChoose(id: bigint): void;
	/** Shows all categories again. */
	onAll?: (() => void) | undefined;
	onClose(): void;
}

const size = { widthPx: 280, heightPx: 360 };

export function CategoryMenu({ title, anchor, mayName, onChoose, onAll, onClose }: CategoryMenuProps) {
	const categories = useContext(CategoriesContext);
	const [text, setText] = useState("");
	const { problem, attempt } = useAttempt();
	const menu = usePopover({ ...size, anchor, focus: ["input"], onClose });
	const choose = (choice: Choice) =>
		attempt(async () => {
			const id = choice.id ?? (await categories.name(choice.name)).id;
			onChoose(id);
			return undefined;
		});
	return (
		<div
			class="popover category-menu"
			role="dialog"
			aria-label={title}
			popover="manual"
			onKeyDown={closeBy(onClose)}
			ref={menu}
		>
			<p class="soft" dir="auto">
				{title}
			</p>
			<CategoryField
				text={text}
				enter={setText}
				{...{ mayName }}
				isOpen
				onChoose={choose}
				attributes={{ "aria-label": "Name or number", placeholder: "Name or number" }}
			>
				<p class="problem" role="alert">
					{problem}
				</p>
				{onAll && (
					<button type="button" class="quiet" onClick={onAll}>
						All categories
					</button>
				)}
			</CategoryField>
		</div>
	);
}

interface NameMenuProps {
	category: Category;
	anchor: Element;
	onClose(): void;
}

export function NameMenu({ category: { id, name = "" }, anchor, onClose }: NameMenuProps) {
	const categories = useContext(CategoriesContext);
	const field = useRef<HTMLInputElement>(null);
	const { problem, attempt } = useAttempt();
	const menu = usePopover({ ...size, heightPx: 160, anchor, focus: ["input"], onClose });
	const keep = (text: string | undefined) =>
		attempt(async () => {
			const result = text === name ? undefined : await categories.name(text, id);
			if (result?.outcome === "taken") return `Category ${result.id} has this name.`;
			onClose();
			return undefined;
		});
	const title = `Name of category ${id}`;
	return (
		<div
			class="popover category-menu"
			role="dialog"
			aria-label={title}
			popover="manual"
			onKeyDown={closeBy(onClose)}
			ref={menu}
		>
			<form
				method="post"
				onSubmit={(event) => {
					event.preventDefault();
					void keep(field.current?.value.trim() ?? "");
				}}
			>
				<p class="soft">{title}</p>
				<input
					aria-label="Name"
					dir="auto"
					autocomplete="off"
					maxLength={100}
					required
					defaultValue={name}
					ref={field}
				/>
				<p class="problem" role="alert">
					{problem}
				</p>
				<button type="submit">Keep the name</button>
				{name && (
					<button type="button" class="quiet" onClick={() => keep(undefined)}>
						Take the name away
					</button>
				)}
			</form>
		</div>
	);
}

/** What a person tries, one after the other, and why it failed. */
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

/** The keys of the list do nothing in a menu. */
const closeBy = (onClose: () => void) => (event: KeyboardEvent) => {
	event.stopPropagation();
	if (event.key !== "Escape") return;
	event.preventDefault();
	onClose();
};
