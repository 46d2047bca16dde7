// The storage of the browser, which it may refuse, or which may be full.

/** The tab's storage, then the computer's; empty if the browser refuses storage, so that nothing is kept. */
export function storages(): Storage[] {
	try {
		return [sessionStorage, localStorage];
	} catch {
		return [];
	}
}

/** Keeps a text that can be missed: in the tab's storage, or in the computer's. */
export function keepText(index: 0 | 1, name: string, text: string): void {
	try {
		storages()[index]?.setItem(name, text);
	} catch {}
}
