// Keyboard shortcuts, which work wherever the focus is except in a field. Single keys can be turned off (WCAG 2.1.4),
// because they disturb speech input.

import { useLayoutEffect, useRef } from "preact/hooks";

/** The action for a key such as `j`, for two in a row such as `g a`, or for `Ctrl+k`. */
export type Shortcuts = Record<string, () => void>;

const storageName = "animal-store.shortcuts";
/** The longest time between the two keys of a pair. */
const pairMs = 1_500;

export function areShortcutsOn(): boolean {
	try {
		return localStorage.getItem(storageName) !== "off";
	} catch {
		return true;
	}
}

export function turnShortcuts(isOn: boolean): void {
	try {
		if (isOn) localStorage.removeItem(storageName);
		else localStorage.setItem(storageName, "off");
	} catch {
		// Without storage they stay on.
	}
}

export function useShortcuts(shortcuts: Shortcuts): void {
	const latest = useRef(shortcuts);
	latest.current = shortcuts;
	useLayoutEffect(() => {
		let first = "";
		let firstAtMs = 0;
		function listen(event: KeyboardEvent): void {
			const key = nameOf(event);
			if (key === undefined || event.defaultPrevented) return;
			const pair = event.timeStamp - firstAtMs < pairMs ? `${first} ${key}` : "";
			const act = latest.current[pair] ?? latest.current[key];
			first = key;
			firstAtMs = event.timeStamp;
			if (!act) return;
			first = "";
			event.preventDefault();
			act();
		}
		addEventListener("keydown", listen);
		return () => removeEventListener("keydown", listen);
	}, []);
}

/** Undefined for keys that belong to a field, a dialog or the browser. */
function nameOf({ key, target, ctrlKey, metaKey, altKey }: KeyboardEvent): string | undefined {
	if ((ctrlKey || metaKey) && !altKey) return `Ctrl+${key.toLowerCase()}`;
	if (altKey) return undefined;
	const isField = target instanceof Element && target.matches("input:not([type=checkbox]), select, textarea");
	const isDialogOpen = document.querySelector("dialog[open]") !== null;
	if (key === "Escape") return isDialogOpen ? undefined : key;
	return isField || isDialogOpen || !areShortcutsOn() ? undefined : key;
}
