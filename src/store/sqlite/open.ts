// The Store in SQLite. Reads run on the main thread through a read-only connection (turn-reads.ts). All writes go in
// batches to the writer thread (writer.ts).

import { createBackground } from "../background.ts";
import { createGroupCommit, observeCommits } from "../group-commit.ts";
import { sweepIdempotencyKeys } from "../leases.ts";
import type { OpenOptions, Store } from "../store.ts";
import { watchWrites } from "../write-watch.ts";
import type { CommandName, Request, Result, Write } from "./commands.ts";
import { toCreateRequest } from "./creates.ts";
import { createEdits } from "./edits.ts";
import { openSqliteReader, toRefusal } from "./file.ts";
import { identityOf, readFileUse } from "./identity.ts";
import { createKeyRows } from "./keys.ts";
import { createReads } from "./reads.ts";
import { createSqliteRows } from "./rows.ts";
import { createTurnReads } from "./turn-reads.ts";
import { startWriter } from "./writer.ts";

interface SqliteOptions extends OpenOptions {
	file: string;
	now: () => number;
}

/**
 * Opens the store in this file, and creates a missing one unless `mustExist` is set.
 * @throws StoreRefused
 */
export async function openSqlite(options: SqliteOptions): Promise<Store> {
	const { file, now, onCreate, onNotice = () => {}, verify, mustExist = false, node = "" } = options;
	const { background = createBackground() } = options;
	const watch = watchWrites(() => write("probe", {}), background);
	const onFatal = (reason: string) => {
		watch.stop();
		options.onFatal?.(reason);
	};
	const writer = await startWriter({ file, verify, mustExist, onFatal, onNotice });
	if (writer.isNew) onCreate?.(file);
	const { database, turn, reads, cursorSecret } = await openReads(file).catch(async (error) => {
		await writer.close();
		throw toRefusal(file, error);
	});
	const commit = observeCommits<Write, Result>(writer.commit, options.onCommit);
	const writes = createGroupCommit<Write, Result>(
		(batch, leftMs) => watch.observe(commit(batch, leftMs)),
		options.writeWaitMaxMs,
		({ name }) => name === "createPet",
	);
	/** Resolves with the result of the command. */
	const write = <Name extends CommandName>(name: Name, request: Request<Name>) =>
		writes.write({ name, request } as Write) as Promise<Result<Name>>;
	const takeLease = (name: string, forMs: number) => write("takeLease", { name, holder: node, nowMs: now(), forMs });
	const sweep = (rows: number) => write("sweepIdempotencyKeys", { nowMs: now(), rows });
	const sweeping = { background, takeLease, sweep, rows: options.sweepRows };
	const stopSweeping = node === "" ? undefined : sweepIdempotencyKeys(sweeping);

	return {
		...reads,
		createPet: (pet, idempotencyKey, json) =>
			write("createPet", toCreateRequest({ pet, idempotencyKey, nowMs: now() }, json)),
		cursorSecret,
		place: String(identityOf(file)),
		keys: createKeyRows({ database, turn, write }),
		edits: createEdits({ database, turn, write, now }),
		rows: createSqliteRows({ database, read: turn.read, write }),
		queue: writes.queue,
		writeState: () => watch.state(writes.queue),
		takeLease,
		readUse: () => readFileUse(file),
		check: async () => void (await reads.getPet(0n)),
		async close() {
			await stopSweeping?.();
			await write("touchKeys", { uses: [] }).catch(() => {});
			database.close();
			await writer.close();
		},
	};
}

async function openReads(file: string) {
	const database = openSqliteReader(file);
	const opened = identityOf(file);
	// Of a file that is gone, there is no other history: reads go on.
	const turn = createTurnReads(database, () => (identityOf(file) ?? opened) !== opened);
	const reads = createReads(database, turn);
	const secret = database.prepare("SELECT value FROM settings WHERE name = 'cursor_secret'").pluck().get() as Buffer;
	return { database, turn, reads, cursorSecret: secret };
}
