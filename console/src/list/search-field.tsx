// The field that finds animals by name, id or category while a person types.

import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { Form } from "../parts/fields.tsx";
import type { AnimalsRoute } from "../parts/route.ts";
import { beginSearch, endSearch, focusFirst } from "../parts/row-focus.ts";

/** A search begins when no key has been pressed for this time. */
const pauseMs = 150;

export function SearchField({ route }: { route: AnimalsRoute }) {
	const field = useRef<HTMLInputElement>(null);
	const from = useRef<Element | undefined>(undefined);
	const timer = useRef<number | undefined>(undefined);
	const latest = useRef(route);
	latest.current = route;
	useLayoutEffect(() => {
		const { current: input } = field;
		const name = route.name ?? "";
		// The field keeps its text while the user types (it is newer than the address), or if only outer blanks differ.
		if (input && timer.current === undefined && input.value.trim() !== name) input.value = name;
	}, [route.name]);
	useEffect(() => () => clearTimeout(timer.current), []);

	function search(isTyping: boolean): void {
		clearTimeout(timer.current);
		timer.current = undefined;
		const name = field.current?.value.trim() ?? "";
		if (name === (latest.current.name ?? "")) return;
		if (name) beginSearch(latest.current, name, from.current);
		else endSearch(latest.current, isTyping);
	}

	return (
		<Form class="search" onSubmit={() => search(false)}>
			<input
				type="search"
				aria-label="Find by name"
				placeholder="Find by name"
				autocomplete="off"
				spellcheck={false}
				aria-keyshortcuts="/"
				maxLength={255}
				dir="auto"
				onFocus={({ relatedTarget }) => {
					from.current = relatedTarget instanceof Element ? relatedTarget : undefined;
				}}
				onInput={(event) => {
					clearTimeout(timer.current);
					// If Esc or the field's own button has emptied the field, the search ends immediately.
					const isEmptied = !(event instanceof InputEvent) && event.currentTarget.value === "";
					if (isEmptied) search(false);
					else timer.current = setTimeout(search, pauseMs, true);
				}}
				onKeyDown={(event) => {
					// The first Esc empties the field, the next one leaves the field.
					const isLeft = event.key === "Escape" && event.currentTarget.value === "";
					if (event.key !== "ArrowDown" && !isLeft) return;
					event.preventDefault();
					focusFirst();
				}}
				ref={field}
			/>
			<kbd>/</kbd>
		</Form>
	);
}
