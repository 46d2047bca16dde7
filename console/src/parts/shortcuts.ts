// Keyboard shortcuts, which work unless a field has the focus, and the commands that they run. Single-key shortcuts can
// be turned off (WCAG 2.1.4), because they interfere with speech input.

import { useLayoutEffect, useRef } from "preact/hooks";
import { storages } from "./storages.ts";

/** Actions by shortcut: a single key such as `j`, two keys in a row such as `g a`, or `Ctrl+k`. */
type Shortcuts = Record<string, () => void>;

/** The name of the key for shortcuts: ⌘ on Apple's systems, otherwise Ctrl. */
export const ctrl = /Mac|iPhone|iPad/.test(navigator.userAgent) ? "⌘" : "Ctrl";

const storageName = "animal-store.shortcuts";
/** The longest time between the two keys of a pair. */
const pairMs = 1_500;

/** Without storage, shortcuts stay on. */
export const areShortcutsOn = () => storages()[1]?.getItem(storageName) !== "off";

export const turnShortcuts = () => storages()[1]?.setItem(storageName, areShortcutsOn() ? "off" : "on");

interface Bindings {
	actionOf(keys: string): (() => void) | undefined;
	/** The commands for the palette. */
	commands(): Command[];
}

/** The latest bindings of the shown components, the innermost first. */
const shown = new Set<{ current: Bindings }>();
let first = { key: "", atMs: 0 };

/** A pair takes precedence over its second key, even if another component binds that key: `g c` does not run `c`. */
function listen(event: KeyboardEvent): void {
	const key = nameOf(event);
	if (key === undefined || event.defaultPrevented) return;
	const find = (keys: string) => [...shown].map(({ current }) => current.actionOf(keys)).find((action) => action);
	const isPair = event.timeStamp - first.atMs < pairMs;
	const act = (isPair ? find(`${first.key} ${key}`) : undefined) ?? find(key);
	first = { key: act ? "" : key, atMs: event.timeStamp };
	if (!act) return;
	event.preventDefault();
	act();
}

function useBindings(bindings: Bindings): void {
	const latest = useRef(bindings);
	latest.current = bindings;
	useLayoutEffect(() => {
		shown.add(latest);
		// Has no effect if the listener is already there.
		addEventListener("keydown", listen);
		return () => void shown.delete(latest);
	}, []);
}

export function useShortcuts(shortcuts: Shortcuts): void {
	useBindings({ actionOf: (keys) => shortcuts[keys], commands: () => [] });
}

export interface Command {
	label: string;
	/** The shortcut of the command. */
	keys?: string;
	/** Whether the palette shows the command first. */
	isFirst?: boolean;
	run(): void;
}

/** Binds the shortcuts of commands, and adds them to the palette, as long as the component is shown. */
export function useCommands(commands: () => Command[]): void {
	useBindings({ actionOf: (keys) => commands().find((command) => command.keys === keys)?.run, commands });
}

/** The commands of all shown components. Commands with shortcuts come early, because they are for daily work. */
export const offeredCommands = () =>
	[...shown].flatMap(({ current }) => current.commands()).sort((one, other) => rankOf(one) - rankOf(other));

const rankOf = ({ keys, isFirst }: Command) => (isFirst ? 0 : keys ? 1 : 2);

/** The name of a pressed key; undefined if the key belongs to a field, a dialog or the browser. */
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
