// The main thread's side of the writer thread: it hands over one batch at a time, and ends writing when the thread, its
// file or a sync is lost.

import assert from "node:assert/strict";
import { Worker } from "node:worker_threads";
import { StorageUnavailable, StoreRefused } from "../store.ts";
import type { Result, Write } from "./commands.ts";
import { isFailedSync, storeError } from "./errors.ts";
import type { WriterData, WriterMessage } from "./writer-thread.ts";

export interface Writer {
	/**
	 * Makes a batch one transaction; resolves once it is on disk, rejects when none of it was acknowledged. One at a
	 * time.
	 */
	commit(batch: Write[]): Promise<Result[]>;
	/** Whether the file was made by this start. */
	readonly isNew: boolean;
	close(): Promise<void>;
}

interface WriterOptions extends WriterData {
	/** Called once, when nothing can be written any more; the reason is for operators. */
	onLost: (reason: string) => void;
}

/**
 * Starts the writer thread. When a sync fails, a file of the store is removed or replaced, or the thread is lost, no
 * write is taken until the service is started again; reads go on.
 * @throws StoreRefused
 */
export async function startWriter({ onLost, ...workerData }: WriterOptions): Promise<Writer> {
	const worker = new Worker(new URL("./writer-thread.ts", import.meta.url), { workerData });
	const isNew = await opened(worker);
	const exited = new Promise<void>((resolve) => worker.once("exit", () => resolve()));
	let committing: PromiseWithResolvers<Result[]> | undefined;
	let loss: StorageUnavailable | undefined;
	let isClosing = false;

	function settle(how: (batch: PromiseWithResolvers<Result[]>) => void): void {
		const batch = committing;
		committing = undefined;
		if (batch) how(batch);
	}

	function lose(reason: string): void {
		if (loss) return;
		const refusal = new StorageUnavailable(`${reason}: no write is taken until the service is started again`);
		loss = refusal;
		if (!isClosing) onLost(refusal.message);
		settle(({ reject }) => reject(refusal));
	}

	worker.on("message", (message: WriterMessage) => {
		if (message.kind === "committed") settle(({ resolve }) => resolve(message.results));
		if (message.kind === "lost") lose(`${message.path} was removed or replaced while it was open`);
		if (message.kind !== "failed") return;
		if (isFailedSync(message)) lose(`a sync of ${workerData.file} failed`);
		settle(({ reject }) => reject(storeError(Object.assign(new Error(message.message), { code: message.code }))));
	});
	worker.on("error", (error) => lose(`the writer thread failed (${error.message})`));
	worker.on("exit", () => lose("the writer thread has ended"));

	return {
		isNew,
		commit(batch) {
			if (loss) return Promise.reject(loss);
			assert.equal(committing, undefined, "a batch is handed over before the one before it is settled");
			committing = Promise.withResolvers();
			worker.postMessage(batch);
			return committing.promise;
		},
		close() {
			isClosing = true;
			worker.postMessage("close");
			return exited;
		},
	};
}

/** @returns whether the file was made */
function opened(worker: Worker): Promise<boolean> {
	return new Promise((resolve, reject) => {
		worker.once("error", reject);
		worker.once("message", (message: WriterMessage) => {
			worker.off("error", reject);
			if (message.kind === "opened") resolve(message.isNew);
			else
				reject(message.kind === "refused" ? new StoreRefused(message.message) : new Error("the writer did not open"));
		});
	});
}
