// The Store in SQLite: one file, one thread that writes, and readers that never wait for it.
//
// 1. The writer thread opens the file, creates or upgrades it, and alone may commit (writer.ts, writer-thread.ts).
// 2. The thread receives writes in batches (group-commit.ts). A batch is one transaction, on disk before the reply.
// 3. Reads run on the main thread, through a read-only connection: a get or a page takes microseconds. The reads of one
//    tick share a snapshot, and each reply has the version of the store that it shows (reads.ts).
// 4. Reads of many rows run in two other threads: searches in one, lists of categories in the other (scans.ts).
// 5. Each read first compares the file at the path with the open file, so that nothing of a replaced file is shown. The
//    writer does the same before it acknowledges a commit (identity.ts).
// 6. After a failed sync, a lost file or a dead thread, writes stop until a restart, and reads go on (write-watch.ts).
// 7. `close` commits the waiting writes, and closes the readers, then the writer: one file without a WAL is left.

import { realpathSync, statfsSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { createStore, type Engine, type StoreOptions } from "../engine.ts";
import { GroupCommit } from "../group-commit.ts";
import { type ImportedPet, StorageUnavailable, type Store, type StoreUse } from "../store.ts";
import { watchWrites } from "../write-watch.ts";
import { toSentCreates } from "./creates.ts";
import { busyTimeoutMs, bytesOfWal, connect, readCursorSecret, toRefusal } from "./file.ts";
import { identityOf } from "./identity.ts";
import { createReads } from "./reads.ts";
import { createScans, findSql } from "./scans.ts";
import { startWriter, type Write } from "./writer.ts";

/** Opens the store in this file; creates a missing one unless `mustExist` is set. @throws StoreRefused */
export async function openSqlite(file: string, now: () => number, options: StoreOptions): Promise<Store> {
	const { onCreate, onNotice = () => {}, mustExist = false, backupFolder } = options;
	if (backupFolder !== undefined && !mustExist) {
		const { refuseNewStore } = await import("./backup-files.ts");
		refuseNewStore(file, backupFolder);
	}
	const watch = watchWrites(() => write("probe"), options);
	const writer = await startWriter({ file, mustExist, onFatal: watch.stop, onNotice });
	if (writer.isNew) onCreate?.(file);
	const { database, reads, refuseReplaced, cursorSecret } = await openReads(file).catch(async (error) => {
		await writer.close();
		throw toRefusal(file, error);
	});
	const writes = new GroupCommit<Write, unknown>((batch, leftMs) => watch.observe(writer.commit(batch, leftMs)), {
		waitMaxMs: options.writeWaitMaxMs,
		isLimited: ({ name }) => name === "createPets",
		sizeOf: (write) => (write.name === "createPets" ? write.creates.count : 1),
		onCommit: options.onCommit,
	});
	const [searches, lists] = [createScans(file), createScans(file)];
	const scanBy =
		(scans: typeof searches): Engine["scan"] =>
		async (columns, rest, values, signal) => {
			refuseReplaced();
			return scans.run({ text: `SELECT ${columns.join(", ")} ${rest}`, values }, signal);
		};
	const write = ((name, ...given) => writes.write({ name, given })) as Engine["write"];
	const engine: Engine = {
		...reads,
		findSql,
		scan: scanBy(searches),
		scanList: scanBy(lists),
		write,
		createAll(creates) {
			return writes.write({ name: "createPets", creates: toSentCreates(creates) }) as Promise<ImportedPet[]>;
		},
		cursorSecret,
		queue: writes,
		writeState: () => watch.state(writes),
		checkWrites: watch.check,
		readUse: async () => readFileUse(file),
		async close() {
			await write("touchKeys", []).catch(() => {}); // Waits for all other writes.
			database.close();
			await searches.close();
			await lists.close();
			await writer.close();
		},
	};
	return createStore(engine, now);
}

/** Opens a reading connection to a file that the writer has opened. */
async function openReads(file: string) {
	const database = connect(file, { readonly: true, fileMustExist: true, timeout: busyTimeoutMs });
	const opened = identityOf(file);
	function refuseReplaced(): void {
		// If the file is missing, reads of the open file continue, because no other store is in its place.
		if ((identityOf(file) ?? opened) === opened) return;
		throw new StorageUnavailable("the file was replaced while it was open: restart the service");
	}
	const cursorSecret = readCursorSecret(database) as Buffer;
	return { database, reads: createReads(database, refuseReplaced), refuseReplaced, cursorSecret };
}

/** Returns an empty result if the file does not exist. */
function readFileUse(file: string): StoreUse {
	try {
		const { bavail, blocks, bsize } = statfsSync(dirname(realpathSync(file)));
		const [databaseBytes, walBytes] = [statSync(file).size, bytesOfWal(file)];
		return { files: { databaseBytes, walBytes, diskFreeBytes: bavail * bsize, diskBytes: blocks * bsize } };
	} catch {
		return {};
	}
}
