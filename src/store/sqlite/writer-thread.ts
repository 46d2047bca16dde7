// The writer thread. It commits each batch in one transaction and replies when the commit is on disk.

import { parentPort, workerData } from "node:worker_threads";
import type Database from "better-sqlite3";
import { StoreUpgraded } from "../store.ts";
import { type Given, startTransaction, type TransactionName } from "../transactions.ts";
import { type CreatedBatch, prepareCreates, type SentCreates } from "./creates.ts";
import { isFailedSync, waitForLock } from "./errors.ts";
import {
	bytesOfWal,
	type FileOptions,
	openSqliteWriter,
	removeLeftWal,
	schemaMax,
	toRefusal,
	truncateWal,
	walMaxBytes,
} from "./file.ts";
import type { OpenFiles } from "./identity.ts";
import { dialect, runTransaction } from "./transaction.ts";

/** The name of a transaction, and its parameters without the dialect. */
export interface OtherWrite {
	name: TransactionName;
	given: Given<TransactionName>;
}

/** A batch on its way to the thread, in two parts: the result of a write does not depend on its place in the batch. */
export interface SentBatch {
	creates: SentCreates;
	others: OtherWrite[];
	/** How long the batch may wait while another process writes. */
	lockWaitMs: number;
}

export interface SentResults {
	created: CreatedBatch;
	others: unknown[];
	syncMs: number;
}

const checkLogEveryMs = 1000;

/** First `opened` or `refused`, then one of the other messages for each batch. After `lost`, nothing is committed. */
export type WriterMessage =
	| { kind: "opened"; isNew: boolean }
	| { kind: "refused"; message: string }
	| { kind: "committed"; results: SentResults }
	| { kind: "failed"; code: string; message: string }
	| { kind: "lost"; cause: string; readsGoOn?: boolean };

export type WriterData = FileOptions & { file: string };

if (parentPort) run(parentPort, workerData);

function run(port: NonNullable<typeof parentPort>, { file, ...options }: WriterData): void {
	const post = (message: WriterMessage) => port.postMessage(message);
	let writer: ReturnType<typeof openSqliteWriter>;
	let commit: ReturnType<typeof prepareCommit>;
	try {
		writer = openSqliteWriter(file, options);
		commit = prepareCommit(writer.database);
	} catch (error) {
		post({ kind: "refused", message: toRefusal(file, error).message });
		return;
	}
	const { database, isNew, files } = writer;
	post({ kind: "opened", isNew });
	/** A long read transaction makes the WAL grow. Once it has ended, the WAL is cut even if nothing is written. */
	const cutting = setInterval(() => {
		if (bytesOfWal(file) <= walMaxBytes || findLoss(file, files) !== undefined) return;
		const outcome = attempt(file, files, () => truncateWal(database));
		if (outcome.kind === "failed" && isFailedSync(outcome)) post(outcome);
	}, checkLogEveryMs);
	port.on("message", (batch: SentBatch | "close") => {
		if (batch === "close") {
			clearInterval(cutting);
			const isSound = findLoss(file, files) === undefined;
			database.close();
			if (isSound) removeLeftWal(file);
			return port.close();
		}
		const outcome = attempt(file, files, () => waitForLock(() => commit(batch), batch.lockWaitMs));
		// The files are checked after the commit and before it is acknowledged.
		const cause = findLoss(file, files);
		if (cause === undefined) return post(outcome);
		const readsGoOn = files.findLostPath() !== undefined;
		// The open file gets the content of the WAL, because the WAL may have been unlinked.
		if (readsGoOn) files.checkpointWal(database);
		post({ kind: "lost", cause, readsGoOn });
	});
}

/** Why no further commit may be acknowledged; undefined if commits may be acknowledged. */
function findLoss(file: string, files: OpenFiles): string | undefined {
	const path = files.findLostPath();
	if (path !== undefined) return `${path} was removed or replaced while it was open`;
	return files.hasFailedSync() ? `a sync of ${file} failed` : undefined;
}

/** Does `work`, which commits. A failed sync is also reported to the other processes that have the store open. */
export function attempt<Results>(file: string, files: OpenFiles, work: () => Results) {
	try {
		return { kind: "committed", results: work() } as const;
	} catch (error) {
		if (error instanceof StoreUpgraded)
			return { kind: "lost", cause: `a newer animal-store has upgraded ${file}`, readsGoOn: true } as const;
		const { code = "", message } = error as NodeJS.ErrnoException;
		if (isFailedSync({ code })) files.reportFailedSync();
		return { kind: "failed", code, message } as const;
	}
}

/** @returns a function that commits a batch: when it returns, all is on disk; when it throws, nothing is stored */
function prepareCommit(database: Database.Database): (batch: SentBatch) => SentResults {
	const createPets = prepareCreates(database);
	let appliedAtMs = 0;
	const schema = database.prepare<[], number>("PRAGMA user_version").pluck();
	const commit = database.transaction(({ creates, others }: SentBatch) => {
		if (Number(schema.get()) > schemaMax) throw new StoreUpgraded();
		const created = createPets(creates);
		const results = others.map(({ name, given }) => runTransaction(database, startTransaction(dialect, name, given)));
		appliedAtMs = performance.now();
		return { created, others: results };
	}).immediate;
	return (batch) => ({ ...commit(batch), syncMs: performance.now() - appliedAtMs });
}
