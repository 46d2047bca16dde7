// The storage of the browser. The browser may refuse storage, and the storage may be full.

/** The tab's storage, then the computer's. If the browser refuses storage, the array is empty, and nothing is kept. */
export function storages(): Storage[] {
	try {
		return [sessionStorage, localStorage];
	} catch {
		return [];
	}
}

/** Keeps a text if possible: in the tab's storage (0), or in the computer's (1). */
export function keepText(index: 0 | 1, name: string, text: string): void {
	try {
		storages()[index]?.setItem(name, text);
	} catch {}
}
