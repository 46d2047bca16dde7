// Keeps the key of a session in the browser: for the tab, or for some hours on the computer. The tabs of a browser pass
// the key to each other and sign out together. Only pages of the service's own origin can read the key or ask for it.

export interface KeptKey {
	key: string;
	/** When the key expires in this browser, in milliseconds since 1970; absent if the key is kept as long as the tab. */
	untilMs?: number | undefined;
	/** The number of sign-outs in this browser so far. A tab that was suspended during a sign-out has a lower number. */
	signOuts: string;
}

const hoursOnComputer = 12;
const computerMs = hoursOnComputer * 3_600_000;
const keyName = "animal-store.key";
const signOutsName = "animal-store.sign-outs";

export function keptKey(key: string, isOnComputer: boolean): KeptKey {
	return { key, signOuts: signOuts(), untilMs: isOnComputer ? Date.now() + computerMs : undefined };
}

/** Whether the key has expired, or expires so late that the clock must have been set back. */
export function isOver({ untilMs }: KeptKey): boolean {
	if (untilMs === undefined) return false;
	const leftMs = untilMs - Date.now();
	return leftMs <= 0 || leftMs > computerMs;
}

export function isSignedOut(kept: KeptKey): boolean {
	return kept.signOuts !== signOuts();
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

export function keepKey(kept: KeptKey): void {
	const [tab, computer] = storages();
	(kept.untilMs === undefined ? tab : computer)?.setItem(keyName, JSON.stringify(plain(kept)));
}

/** Deletes this key from each storage that has it. A different key, which another tab has kept, stays. */
export function dropKey({ key }: KeptKey): void {
	for (const storage of storages()) if (readFrom(storage)?.key === key) storage.removeItem(keyName);
}

function dropAll(): void {
	for (const storage of storages()) storage.removeItem(keyName);
}

/** The key without the other properties of a session. */
const plain = ({ key, untilMs, signOuts }: KeptKey): KeptKey => ({ key, untilMs, signOuts });

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

/** The tab's storage, then the computer's; empty if the browser refuses storage, so that nothing is kept. */
export function storages(): Storage[] {
	try {
		return [sessionStorage, localStorage];
	} catch {
		return [];
	}
}

function signOuts(): string {
	return storages()[1]?.getItem(signOutsName) ?? "0";
}

export interface OtherTabs {
	/** Asks the other tabs for a key; a signed-in tab answers with its key. */
	ask(): void;
	/** Tells the other tabs that this tab has changed how long the key is kept. */
	keep(kept: KeptKey): void;
	/** Whether signing out would end an import of another tab. */
	areBusy(): Promise<boolean>;
	/** Ends the sessions of all tabs, including suspended tabs. */
	signOut(): void;
	leave(): void;
}

export interface ThisTab {
	held(): KeptKey | undefined;
	/** Called with the key of another tab while this tab has no key. */
	take(kept: KeptKey): unknown;
	/** Called when another tab has changed the time for which the session's key is kept. */
	keep(kept: KeptKey): void;
	isBusy(): boolean;
	signOut(): void;
}

/** How long to wait for an answer from another tab. */
export const answerMs = 200;

export function joinTabs(tab: ThisTab): OtherTabs {
	const channel = new BroadcastChannel(keyName);
	channel.onmessage = ({ data }) => {
		const held = tab.held();
		if (data === "ask" && held) channel.postMessage(plain(held));
		else if (data === "busy?" && tab.isBusy()) channel.postMessage("busy");
		else if (data === "sign-out") {
			dropAll();
			tab.signOut();
		} else if (held && isKeptKey(data?.kept) && data.kept.key === held.key) tab.keep(data.kept);
		else if (!held && isKeptKey(data) && !isOver(data) && !isSignedOut(data)) tab.take(data);
	};
	return {
		ask: () => channel.postMessage("ask"),
		keep: (kept) => channel.postMessage({ kept }),
		areBusy: () =>
			new Promise((resolve) => {
				const hear = ({ data }: MessageEvent) => data === "busy" && resolve(true);
				channel.addEventListener("message", hear, { signal: AbortSignal.timeout(answerMs) });
				setTimeout(resolve, answerMs, false);
				channel.postMessage("busy?");
			}),
		signOut() {
			const [, computer] = storages();
			dropAll();
			computer?.setItem(signOutsName, String(Number(signOuts()) + 1));
			channel.postMessage("sign-out");
		},
		leave: () => channel.close(),
	};
}
