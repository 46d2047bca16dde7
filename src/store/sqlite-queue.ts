// The main thread's side of the writer thread: what is to be written waits here until the commit before it is on disk.

import { Worker } from "node:worker_threads";
import { isFailedSync, storeError } from "./sqlite-errors.ts";
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

interface WriterOptions {
	file: string;
	/** Whether the whole file is read before it is opened. */
	isVerified: boolean;
	/** Called after each commit, before anybody hears of it. */
	onCommit: () => void;
}

interface Waiting {
	request: Write;
	resolve(result: unknown): void;
	reject(reason: unknown): void;
}

/**
 * Starts the writer thread. One batch is under way at a time; what arrives meanwhile becomes the next one. When a sync fails
 * or the thread is lost, every write from then on is refused until the service is started again; reads go on.
 * @throws StoreRefused
 */
export async function startWriter({ file, isVerified, onCommit }: WriterOptions): Promise<Writer> {
	const worker = new Worker(new URL("./sqlite-writer.ts", import.meta.url), { workerData: { file, isVerified } });
	await opened(worker);
	const exited = new Promise<void>((resolve) => worker.once("exit", () => resolve()));
	const waiting: Waiting[] = [];
	let committing: Waiting[] = [];
	let lost: StorageUnavailable | undefined;

	function commitNext(): void {
		committing = waiting.splice(0, batchMax);
		if (committing.length > 0) worker.postMessage(committing.map(({ request }) => request));
	}

	function refuseAll(reason: string): void {
		lost ??= new StorageUnavailable(`${reason}: no write is taken until the service is started again`);
		for (const { reject } of [...committing, ...waiting.splice(0)]) reject(lost);
		committing = [];
	}

	worker.on("message", (message: WriterMessage) => {
		const batch = committing;
		onCommit();
		if (message.kind === "failed") {
			for (const { reject } of batch)
				reject(storeError(Object.assign(new Error(message.message), { code: message.code })));
			committing = [];
			if (isFailedSync(message)) return refuseAll(`a sync of ${file} failed`);
		} else if (message.kind === "committed") {
			for (const [index, { resolve }] of batch.entries()) resolve(message.results[index]);
		}
		commitNext();
	});
	worker.on("error", (error) => refuseAll(`the writer thread failed (${error.message})`));
	worker.on("exit", () => refuseAll("the writer thread has ended"));

	return {
		write: (request) =>
			new Promise((resolve, reject) => {
				if (lost) return reject(lost);
				waiting.push({ request, resolve, reject });
				if (committing.length === 0) commitNext();
			}),
		get queueLength() {
			return waiting.length + committing.length;
		},
		close() {
			worker.postMessage("close");
			return exited;
		},
	};
}

function opened(worker: Worker): Promise<void> {
	return new Promise((resolve, reject) => {
		worker.once("error", reject);
		worker.once("message", (message: WriterMessage) => {
			worker.off("error", reject);
			if (message.kind === "opened") resolve();
			else
				reject(message.kind === "refused" ? new StoreRefused(message.message) : new Error("the writer did not open"));
		});
	});
}
