// The main thread's side of the writer thread. It sends one batch at a time, and stops all writes when a sync fails or
// when the thread or a file is lost.

import assert from "node:assert/strict";
import { extname } from "node:path";
import { Worker } from "node:worker_threads";
import type { Timed } from "../commit-times.ts";
import { StorageUnavailable, StoreRefused } from "../store.ts";
import type { Result, Write } from "./commands.ts";
import { isFailedSync, toStoreError } from "./errors.ts";
import type { WriterData, WriterMessage } from "./writer-thread.ts";

export interface Writer {
	/** Commits a batch in one transaction; resolves when it is on disk. Must not be called while another is pending. */
	commit(batch: Write[]): Promise<Timed<Result>>;
	/** Whether this start created the file. */
	readonly isNew: boolean;
	close(): Promise<void>;
}

interface WriterOptions extends WriterData {
	/** Called once, when writes are stopped; the reason is for operators. */
	onFatal: (reason: string) => void;
}

/**
 * Starts the writer thread. When a sync fails, a file of the store is removed or replaced, or the thread ends, writes
 * are rejected until the service is restarted. Reads still work.
 * @throws StoreRefused
 */
export async function startWriter({ onFatal, ...workerData }: WriterOptions): Promise<Writer> {
	const worker = new Worker(new URL(`./writer-thread${extname(import.meta.url)}`, import.meta.url), { workerData });
	const isNew = await waitUntilOpened(worker);
	const exited = new Promise<void>((resolve) => worker.once("exit", () => resolve()));
	let committing: PromiseWithResolvers<Timed<Result>> | undefined;
	let fatalError: StorageUnavailable | undefined;
	let isClosing = false;

	function settle(action: (batch: PromiseWithResolvers<Timed<Result>>) => void): void {
		const batch = committing;
		committing = undefined;
		if (batch) action(batch);
	}

	function stopWrites(reason: string): void {
		if (fatalError) return;
		const error = new StorageUnavailable(`${reason}: writes are rejected until the service is restarted`);
		fatalError = error;
		if (!isClosing) onFatal(error.message);
		settle(({ reject }) => reject(error));
	}

	worker.on("message", (message: WriterMessage) => {
		if (message.kind === "committed") settle(({ resolve }) => resolve(message.batch));
		if (message.kind === "lost") stopWrites(`${message.path} was removed or replaced while it was open`);
		if (message.kind !== "failed") return;
		if (isFailedSync(message)) stopWrites(`a sync of ${workerData.file} failed`);
		settle(({ reject }) => reject(toStoreError(Object.assign(new Error(message.message), { code: message.code }))));
	});
	worker.on("error", (error) => stopWrites(`the writer thread failed (${error.message})`));
	worker.on("exit", () => stopWrites("the writer thread has ended"));

	return {
		isNew,
		commit(batch) {
			if (fatalError) return Promise.reject(fatalError);
			assert.equal(committing, undefined, "a batch is sent only after the previous one is settled");
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

/** @returns whether the file was created */
function waitUntilOpened(worker: Worker): Promise<boolean> {
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
