// The writer thread. It receives batches, makes each one transaction, and answers once the commit is on disk.

import { parentPort, workerData } from "node:worker_threads";
import { StoreRefused } from "../store.ts";
import { prepareCommit, type Result, type Write } from "./commands.ts";
import { type FileOptions, openSqliteWriter, refusal } from "./file.ts";

/**
 * The first message is `opened` or `refused`; then one of the others per batch. After `lost` nothing else is committed.
 */
export type WriterMessage =
	| { kind: "opened"; isNew: boolean }
	| { kind: "refused"; message: string }
	| { kind: "committed"; results: Result[] }
	| { kind: "failed"; code: string; message: string }
	| { kind: "lost"; path: string };

export type WriterData = FileOptions & { file: string };

if (parentPort) run(parentPort, workerData);

function run(port: NonNullable<typeof parentPort>, { file, ...options }: WriterData): void {
	const post = (message: WriterMessage) => port.postMessage(message);
	let writer: ReturnType<typeof open>;
	try {
		writer = open(file, options);
	} catch (error) {
		const isForeseen = error instanceof StoreRefused || (error as NodeJS.ErrnoException).code !== undefined;
		if (!isForeseen) throw error;
		post({ kind: "refused", message: refusal(file, error).message });
		return;
	}
	const { database, isNew, commit, files } = writer;
	post({ kind: "opened", isNew });
	port.on("message", (batch: Write[] | "close") => {
		if (batch === "close") {
			database.close();
			return port.close();
		}
		const outcome = outcomeOf(() => commit(batch));
		// After the commit and before its callers know of it.
		const path = files.lost();
		if (path === undefined) return post(outcome);
		post({ kind: "lost", path });
		files.rescue(database);
	});
}

function open(file: string, options: FileOptions) {
	const opened = openSqliteWriter(file, options);
	return { ...opened, commit: prepareCommit(opened.database) };
}

function outcomeOf(commit: () => Result[]): WriterMessage {
	try {
		return { kind: "committed", results: commit() };
	} catch (error) {
		const { code = "", message } = error as NodeJS.ErrnoException;
		return { kind: "failed", code, message };
	}
}
