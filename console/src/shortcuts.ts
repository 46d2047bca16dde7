// Keyboard shortcuts, which work unless a field has the focus, and the commands that they run. Single-key shortcuts can
// be turned off (WCAG 2.1.4), because they interfere with speech input.

import { useLayoutEffect, useRef } from "preact/hooks";

/** Actions by shortcut: a single key such as `j`, two keys in a row such as `g a`, or `Ctrl+k`. */
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

export function turnShortcuts(): void {
	try {
		localStorage.setItem(storageName, areShortcutsOn() ? "off" : "on");
	} catch {
		// Without storage, shortcuts stay on.
	}
}

export function useShortcuts(shortcuts: Shortcuts): void {
	useKeys((keys) => shortcuts[keys]);
}

type ActionOf = (keys: string) => (() => void) | undefined;

/** The bindings of components, the innermost first. */
const listening = new Set<ActionOf>();
let first = { key: "", atMs: 0 };

/** A pair takes precedence over its second key, even if another component binds that key: `g c` is not `c`. */
function listen(event: KeyboardEvent): void {
	const key = nameOf(event);
	if (key === undefined || event.defaultPrevented) return;
	const find = (keys: string) => [...listening].reduce<ReturnType<ActionOf>>((act, of) => act ?? of(keys), undefined);
	const isPair = event.timeStamp - first.atMs < pairMs;
	const act = (isPair ? find(`${first.key} ${key}`) : undefined) ?? find(key);
	first = { key: act ? "" : key, atMs: event.timeStamp };
	if (!act) return;
	event.preventDefault();
	act();
}

function useKeys(actionOf: ActionOf): void {
	const latest = useRef(actionOf);
	latest.current = actionOf;
	useLayoutEffect(() => {
		const act: ActionOf = (keys) => latest.current(keys);
		listening.add(act);
		if (listening.size === 1) addEventListener("keydown", listen);
		return () => {
			listening.delete(act);
			if (listening.size === 0) removeEventListener("keydown", listen);
		};
	}, []);
}

export interface Command {
	label: string;
	/** The shortcut of the command. */
	keys?: string;
	run(): void;
}

const offered = new Set<() => Command[]>();

/** Binds the shortcuts of commands, and adds them to the palette, as long as the component is shown. */
export function useCommands(commands: () => Command[]): void {
	const latest = useRef(commands);
	latest.current = commands;
	useKeys((keys) => commands().find((command) => command.keys === keys)?.run);
	useLayoutEffect(() => {
		const offer = () => latest.current();
		offered.add(offer);
		return () => void offered.delete(offer);
	}, []);
}

/** The commands of all shown components. Commands with shortcuts come first, because they are for daily work. */
export const offeredCommands = () =>
	[...offered].flatMap((offer) => offer()).sort((one, other) => Number(!one.keys) - Number(!other.keys));

/** The name of a pressed key; undefined if it belongs to a field, a dialog or the browser. */
function nameOf({ key, target, ctrlKey, metaKey, altKey, shiftKey }: KeyboardEvent): string | undefined {
	if (altKey) return undefined;
	const isField = target instanceof Element && target.matches("input:not([type=checkbox]), select, textarea");
	const isDialogOpen = document.querySelector("dialog[open]") !== null;
	if (ctrlKey || metaKey) {
		// Fields and dialogs keep the browser's undo.
		const isOwn = (isField || isDialogOpen) && key === "z";
		return isOwn || shiftKey ? undefined : `Ctrl+${key.toLowerCase()}`;
	}
	if (key === "Escape") return isDialogOpen ? undefined : key;
	if (isField || isDialogOpen || !areShortcutsOn()) return undefined;
	return shiftKey && key.startsWith("Arrow") ? `Shift+${key}` : key;
}
