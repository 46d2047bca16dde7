// The main thread's side of the writer thread: what is to be written waits here until the commit before it is on disk.

import { Worker } from "node:worker_threads";
import { groupCommit } from "../group-commit.ts";
import { type Created, type CreatedCount, StorageUnavailable, StoreRefused } from "../store.ts";
import { isFailedSync, storeError } from "./errors.ts";
import type { Write, WriterData, WriterMessage } from "./writer-thread.ts";

type Result = Created | number | undefined;

export interface Writer {
	/** Resolves after the commit that holds this write is on disk. */
	write(request: Write): Promise<Result>;
	readonly queueLength: number;
	readonly created: CreatedCount;
	/** Whether the file was made by this start. */
	readonly isNew: boolean;
	close(): Promise<void>;
}

interface WriterOptions extends WriterData {
	/** Called once, when no write is taken any more; the reason is for operators. */
	onFatal: (reason: string) => void;
	/** Called after each commit, before anybody hears of it. */
	onCommit: () => void;
}

/**
 * Starts the writer thread. One batch is under way at a time; what arrives meanwhile becomes the next one. When a sync fails,
 * a file of the store is removed or replaced, or the thread is lost, every write from then on is refused until the service is
 * started again; reads go on.
 * @throws StoreRefused
 */
export async function startWriter({ onFatal, onCommit, ...workerData }: WriterOptions): Promise<Writer> {
	const worker = new Worker(new URL("./writer-thread.ts", import.meta.url), { workerData });
	const isNew = await opened(worker);
	const exited = new Promise<void>((resolve) => worker.once("exit", () => resolve()));
	let answer = Promise.withResolvers<Result[]>();
	const queue = groupCommit<Write, Result>((batch) => {
		answer = Promise.withResolvers();
		worker.postMessage(batch);
		return answer.promise;
	});

	worker.on("message", (message: WriterMessage) => {
		onCommit();
		if (message.kind === "committed") answer.resolve(message.results);
		if (message.kind === "lost") stopWriting(`${message.path} was removed or replaced while it was open`);
		if (message.kind !== "failed") return;
		if (isFailedSync(message)) stopWriting(`a sync of ${workerData.file} failed`);
		answer.reject(storeError(Object.assign(new Error(message.message), { code: message.code })));
	});
	worker.on("error", (error) => stopWriting(`the writer thread failed (${error.message})`));
	worker.on("exit", () => stopWriting("the writer thread has ended"));

	let isClosing = false;
	let isStopped = false;
	function stopWriting(reason: string): void {
		const refusal = `${reason}: no write is taken until the service is started again`;
		queue.refuseAll(refusal);
		answer.promise.catch(() => {});
		answer.reject(new StorageUnavailable(refusal));
		if (!isStopped && !isClosing) onFatal(refusal);
		isStopped = true;
	}

	return {
		write: queue.write,
		created: queue.created,
		isNew,
		get queueLength() {
			return queue.length;
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
