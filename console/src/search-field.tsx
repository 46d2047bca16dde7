// The field that finds animals by name, or opens one by its id.

import type { TargetedSubmitEvent } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import type { AnimalsRoute } from "./route.ts";
import { beginSearch, endSearch } from "./search-return.ts";

export function SearchField({ route }: { route: AnimalsRoute }) {
	const field = useRef<HTMLInputElement>(null);
	useLayoutEffect(() => {
		if (field.current) field.current.value = route.name ?? "";
	}, [route.name]);

	const from = useRef<Element | undefined>(undefined);

	function submit(event: TargetedSubmitEvent<HTMLFormElement>): void {
		event.preventDefault();
		search(field.current?.value ?? "");
	}
	function search(text: string): void {
		const name = text.trim();
		if (name === (route.name ?? "")) return;
		if (name) beginSearch(route, name, from.current);
		else endSearch(route);
	}

	return (
		<form class="search" method="post" onSubmit={submit}>
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
				onKeyDown={(event) => {
					const isUnsent = event.key === "Escape" && event.currentTarget.value !== (route.name ?? "");
					if (!isUnsent) return;
					event.preventDefault();
					event.currentTarget.value = route.name ?? "";
				}}
				// The field has its own button to empty it.
				onInput={({ currentTarget: { value } }) => value === "" && search("")}
				ref={field}
			/>
			<kbd>/</kbd>
		</form>
	);
}
