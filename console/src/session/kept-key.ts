// Keeps the key of a session in the browser: for the tab, or for some hours on the computer, where all tabs share it.
// Only pages of the service's own origin can read the key.

import { storages } from "../parts/storages.ts";

export interface KeptKey {
	key: string;
	/** When the key expires in this browser, in milliseconds since 1970; absent if the key is kept as long as the tab. */
	untilMs?: number | undefined;
	/** The number of sign-outs of this computer so far. A tab that was suspended during a sign-out has a lower number. */
	signOuts: string;
}

const hoursOnComputer = 12;
const computerMs = hoursOnComputer * 3_600_000;
const keyName = "animal-store.key";
const signOutsName = "animal-store.sign-outs";

export function keptKey(key: string, isOnComputer: boolean): KeptKey {
	return { key, signOuts: signOutsNow(), untilMs: isOnComputer ? Date.now() + computerMs : undefined };
}

/** Whether the key has expired, or expires so late that the clock must have been set back. */
export function isOver({ untilMs }: KeptKey): boolean {
	if (untilMs === undefined) return false;
	const leftMs = untilMs - Date.now();
	return leftMs <= 0 || leftMs > computerMs;
}

/** Whether another tab has signed out of this computer since this key was kept; false if only this tab has the key. */
export function isSignedOut({ untilMs, signOuts }: KeptKey): boolean {
	return untilMs !== undefined && signOuts !== signOutsNow();
}

/** The key kept for this tab; if there is none, the key kept on this computer. */
export function loadKey(): KeptKey | undefined {
	for (const storage of storages()) {
		const kept = readFrom(storage);
		if (kept && !isOver(kept) && !isSignedOut(kept)) return kept;
		storage.removeItem(keyName);
	}
	return undefined;
}

const storageOf = ({ untilMs }: KeptKey) => storages()[untilMs === undefined ? 0 : 1];

export function keepKey(kept: KeptKey): void {
	// `kept` may be a session, whose other properties are not stored.
	const { key, untilMs, signOuts } = kept;
	storageOf(kept)?.setItem(keyName, JSON.stringify({ key, untilMs, signOuts }));
}

/** Deletes this key. A different key, which another tab has kept on this computer, stays. */
export function dropKey(kept: KeptKey): void {
	const storage = storageOf(kept);
	if (storage && readFrom(storage)?.key === kept.key) storage.removeItem(keyName);
}

function readFrom(storage: Storage): KeptKey | undefined {
	try {
		const kept: unknown = JSON.parse(storage.getItem(keyName) ?? "null");
		return isKeptKey(kept) ? kept : undefined;
	} catch {
		return undefined;
	}
}

function isKeptKey(value: unknown): value is KeptKey {
	const { key, signOuts, untilMs } = (value ?? {}) as Partial<Record<keyof KeptKey, unknown>>;
	return typeof key === "string" && typeof signOuts === "string" && ["undefined", "number"].includes(typeof untilMs);
}

function signOutsNow(): string {
	return storages()[1]?.getItem(signOutsName) ?? "0";
}

/** Ends the sessions of all tabs that use the key of this computer, including suspended tabs. */
export function leaveComputer(): void {
	storages()[1]?.setItem(signOutsName, String(Number(signOutsNow()) + 1));
}

/** Calls `hear` when another tab signs out of this computer. @returns a function that stops listening */
export function onLeft(hear: () => void): () => void {
	const listener = ({ key }: StorageEvent) => key === signOutsName && hear();
	addEventListener("storage", listener);
	return () => removeEventListener("storage", listener);
}
