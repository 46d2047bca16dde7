// The field that finds animals by name, or opens one by its id.

import type { TargetedSubmitEvent } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { type AnimalsRoute, go } from "./route.ts";
import { useShortcuts } from "./shortcuts.ts";

export function SearchField({ route }: { route: AnimalsRoute }) {
	const field = useRef<HTMLInputElement>(null);
	useShortcuts({ "/": () => field.current?.select() });
	useLayoutEffect(() => {
		if (field.current) field.current.value = route.name ?? "";
	}, [route.name]);

	function submit(event: TargetedSubmitEvent<HTMLFormElement>): void {
		event.preventDefault();
		search(field.current?.value ?? "");
	}
	function search(text: string): void {
		const name = text.trim() || undefined;
		if (name !== route.name) go({ ...route, name, cursor: undefined, id: undefined });
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
				// The field has its own button to empty it.
				onInput={({ currentTarget: { value } }) => value === "" && search("")}
				ref={field}
			/>
			<kbd>/</kbd>
		</form>
	);
}
