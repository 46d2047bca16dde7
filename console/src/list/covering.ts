// The panel beside the list, or over the list in a narrow window: where the focus moves, and what the Back button does.

import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { coversList, formOverList } from "../parts/route.ts";
import { focusRow } from "../parts/row-focus.ts";

/**
 * Gives the focus to the row of an animal when its panel closes.
 * @returns a function to call before closing the panel; the Back button closes the panel without this call
 */
export function useReturnedFocus(id: string | undefined): () => void {
	const isClosing = useRef(false);
	const before = useRef(id);
	useLayoutEffect(() => {
		const isFocusLost = document.activeElement === document.body;
		if (id === undefined && (isClosing.current || isFocusLost)) focusRow(before.current);
		isClosing.current = false;
		before.current = id;
	}, [id]);
	return () => {
		isClosing.current = true;
	};
}

/** Whether the panel covers the list, as on a narrow screen. A panel that covers the list takes the focus. */
export function useCovering(isOpen: boolean): boolean {
	const isCovered = isOpen && coversList();
	useLayoutEffect(() => {
		if (isCovered) document.querySelector<HTMLElement>(".panel .close")?.focus();
	}, [isCovered]);
	return isCovered;
}

/** If the form covers the list, the Back button closes the form, and the list stays as it is. */
export function useBackToList(isOpen: boolean, close: () => void): void {
	useEffect(() => {
		if (!isOpen || !coversList()) return;
		history.pushState(formOverList, "");
		addEventListener("popstate", close);
		return () => {
			removeEventListener("popstate", close);
			if (history.state === formOverList) history.back();
		};
	}, [isOpen]);
}
