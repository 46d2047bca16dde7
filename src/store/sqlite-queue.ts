// The main thread's side of the writer thread: what is to be written waits here until the commit before it is on disk.

import { Worker } from "node:worker_threads";
import type { Write, WriterMessage } from "./sqlite-writer.ts";
import { StorageUnavailable, StoreRefused } from "./store.ts";

/** Bounds the time that one transaction takes. */
const batchMax = 1000;

export interface Writer {
	/** Resolves after the commit that holds this write is on disk. */
	write(request: Write): Promise<unknown>;
	readonly queueLength: number;
	close(): Promise<void>;
}

interface Waiting {
	request: Write;
	resolve(result: unknown): void;
	reject(reason: Error): void;
}

/**
 * Starts the writer thread. One batch is under way at a time; what arrives meanwhile becomes the next one.
 * @param onCommit called after each commit, before anybody hears of it
 * @throws StoreRefused
 */
export async function startWriter(file: string, onCommit: () => void): Promise<Writer> {
	const worker = new Worker(new URL("./sqlite-writer.ts", import.meta.url), { workerData: { file } });
	await new Promise<void>((resolve, reject) => {
		worker.once("error", reject);
		worker.once("message", (message: WriterMessage) => {
			worker.off("error", reject);
			if (message.kind === "opened") return resolve();
			reject(
				message.kind === "refused" ? new StoreRefused(message.message) : new Error("the writer thread did not open"),
			);
		});
	});

	const waiting: Waiting[] = [];
	let committing: Waiting[] = [];

	function commitNext(): void {
		committing = waiting.splice(0, batchMax);
		if (committing.length > 0) worker.postMessage(committing.map(({ request }) => request));
	}

	worker.on("message", (message: WriterMessage) => {
		const batch = committing;
		onCommit();
		commitNext();
		if (message.kind === "committed") {
			for (const [index, { resolve }] of batch.entries()) resolve(message.results[index]);
		} else if (message.kind === "failed") {
			for (const { reject } of batch) reject(writeError(message));
		}
	});

	return {
		write: (request) =>
			new Promise((resolve, reject) => {
				waiting.push({ request, resolve, reject });
				if (committing.length === 0) commitNext();
			}),
		get queueLength() {
			return waiting.length + committing.length;
		},
		close: () =>
			new Promise((resolve) => {
				worker.once("exit", () => resolve());
				worker.postMessage("close");
			}),
	};
}

function writeError({ code, message }: { code: string; message: string }): Error {
	const isStorage = /^SQLITE_(FULL|IOERR|BUSY|LOCKED|READONLY|CANTOPEN|NOMEM|CORRUPT)/.test(code);
	return isStorage ? new StorageUnavailable(`${code}: ${message}`) : new Error(`${code}: ${message}`);
}
