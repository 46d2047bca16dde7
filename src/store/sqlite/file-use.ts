// The sizes of a store's files, and the room on their disk.

import { realpath, stat, statfs } from "node:fs/promises";
import { dirname } from "node:path";
import type { StoreUse } from "../store.ts";

/** Never throws: the result is empty if the file is gone. */
export async function readFileUse(file: string): Promise<StoreUse> {
	try {
		const real = await realpath(file);
		const [database, wal, disk] = await Promise.all([
			stat(real),
			stat(`${real}-wal`).catch(() => ({ size: 0 })),
			statfs(dirname(real)),
		]);
		return {
			files: {
				databaseBytes: database.size,
				walBytes: wal.size,
				diskFreeBytes: disk.bavail * disk.bsize,
				diskBytes: disk.blocks * disk.bsize,
			},
		};
	} catch {
		return {};
	}
}
