// The storage of the browser, which it may refuse.

/** The tab's storage, then the computer's; empty if the browser refuses storage, so that nothing is kept. */
export function storages(): Storage[] {
	try {
		return [sessionStorage, localStorage];
	} catch {
		return [];
	}
}
