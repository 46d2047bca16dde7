// Converts SQLite's error codes to the errors of the Store.

import { StorageUnavailable } from "../store.ts";

/** Failures that time or an operator can fix become `StorageUnavailable`. All others are bugs and stay unchanged. */
export function toStoreError(error: unknown): unknown {
	const { code = "", message = "" } = error as NodeJS.ErrnoException;
	const isStorage = /^SQLITE_(FULL|IOERR|BUSY|LOCKED|READONLY|CANTOPEN|NOMEM|CORRUPT|NOTADB)/.test(code);
	return isStorage ? new StorageUnavailable(`${code}: ${message}`) : error;
}

/**
 * After a failed sync the kernel may have discarded the written data, and a second sync would still succeed. No later
 * write can be trusted.
 */
export function isFailedSync({ code }: { code: string }): boolean {
	return /^SQLITE_IOERR_(DIR_)?FSYNC/.test(code);
}
