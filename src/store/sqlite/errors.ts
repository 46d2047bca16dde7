// SQLite's error codes in the words of the Store.

import { StorageUnavailable } from "../store.ts";

/** What waiting or a person may cure is `StorageUnavailable`; anything else is a bug of ours and stays as it is. */
export function storeError(error: unknown): unknown {
	const { code = "", message = "" } = error as NodeJS.ErrnoException;
	const isStorage = /^SQLITE_(FULL|IOERR|BUSY|LOCKED|READONLY|CANTOPEN|NOMEM|CORRUPT|NOTADB)/.test(code);
	return isStorage ? new StorageUnavailable(`${code}: ${message}`) : error;
}

/**
 * After a failed sync the kernel may have dropped what was written, and a second sync would succeed all the same.
 * Nothing that is written from then on can be trusted.
 */
export function isFailedSync({ code }: { code: string }): boolean {
	return /^SQLITE_IOERR_(DIR_)?FSYNC/.test(code);
}
