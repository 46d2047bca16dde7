// The writer thread. It commits each batch in one transaction and replies when the commit is on disk.

import { parentPort, workerData } from "node:worker_threads";
import type { Timed } from "../commit-times.ts";
import { StoreRefused } from "../store.ts";
import { prepareCommit, type Result, type Write } from "./commands.ts";
import { type FileOptions, openSqliteWriter, toRefusal } from "./file.ts";

/** The first message is `opened` or `refused`, then one of the others per batch. Nothing is committed after `lost`. */
export type WriterMessage =
	| { kind: "opened"; isNew: boolean }
	| { kind: "refused"; message: string }
	| { kind: "committed"; batch: Timed<Result> }
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
		const isExpected = error instanceof StoreRefused || (error as NodeJS.ErrnoException).code !== undefined;
		if (!isExpected) throw error;
		post({ kind: "refused", message: toRefusal(file, error).message });
		return;
	}
	const { database, isNew, commit, files } = writer;
	post({ kind: "opened", isNew });
	port.on("message", (batch: Write[] | "close") => {
		if (batch === "close") {
			database.close();
			return port.close();
		}
		const outcome = tryCommit(() => commit(batch));
		// Checked after the commit and before it is acknowledged.
		const path = files.findLostPath();
		if (path === undefined) return post(outcome);
		// First, so that whoever sees a refusal may end the process: the log may have lost its name.
		files.checkpointLog(database);
		post({ kind: "lost", path });
	});
}

function open(file: string, options: FileOptions) {
	const opened = openSqliteWriter(file, options);
	return { ...opened, commit: prepareCommit(opened.database) };
}

function tryCommit(commit: () => Timed<Result>): WriterMessage {
	try {
		return { kind: "committed", batch: commit() };
	} catch (error) {
		const { code = "", message } = error as NodeJS.ErrnoException;
		return { kind: "failed", code, message };
	}
}
