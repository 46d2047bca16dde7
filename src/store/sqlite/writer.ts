// The main thread's side of the writer thread. It sends one batch at a time, and stops all writes when a sync fails,
// or when the thread or a file is lost.

import { once } from "node:events";
import { existsSync } from "node:fs";
import { extname } from "node:path";
import type { Timed } from "../group-commit.ts";
import { StorageUnavailable, StoreRefused } from "../store.ts";
import { startThread } from "../threads.ts";
import { createResults, joinCreates, type SentCreates } from "./creates.ts";
import { isFailedSync, toStoreError } from "./errors.ts";
import type { OtherWrite, SentBatch, SentResults, WriterData, WriterMessage } from "./writer-thread.ts";

export type Write = { name: "createPets"; creates: SentCreates } | OtherWrite;

const noticeAfterMs = 1000;

interface WriterOptions extends WriterData {
	onNotice: (text: string) => void;
	/** Called once, when writes are stopped; see `OpenOptions.onFatal`. */
	onFatal: (reason: string, readsGoOn: boolean) => void;
}

/**
 * Starts the writer thread. After a failed sync, the loss of a file or the end of the thread, writes are rejected until
 * the service is restarted, but reads still work. @throws StoreRefused
 */
export async function startWriter({ onFatal, onNotice, ...workerData }: WriterOptions) {
	const program = new URL(`./writer-thread${extname(import.meta.url)}`, import.meta.url);
	const worker = startThread(program, workerData satisfies WriterData);
	const notice = existsSync(workerData.file)
		? `opening ${workerData.file} is slow: it is being upgraded, or its WAL is being read`
		: `creating ${workerData.file} is slow: the disk or the machine is busy`;
	const noticing = setTimeout(() => onNotice(notice), noticeAfterMs);
	const opening = once(worker, "message").finally(() => clearTimeout(noticing));
	const [opened] = (await opening) as [WriterMessage];
	if (opened.kind === "refused") throw new StoreRefused(opened.message);
	const exited = Promise.withResolvers<void>();
	let committing: PromiseWithResolvers<SentResults> | undefined;
	let fatalError: StorageUnavailable | undefined;
	let isClosing = false;

	function stopUntilRestart(cause: string, readsGoOn = false): void {
		if (fatalError) return;
		const reason = `${cause}: writes are rejected until the service is restarted`;
		if (!isClosing) onFatal(reason, readsGoOn);
		fatalError = new StorageUnavailable(reason);
		committing?.reject(fatalError);
	}

	worker.on("message", (message: WriterMessage) => {
		if (message.kind === "committed") committing?.resolve(message.results);
		if (message.kind === "lost") stopUntilRestart(message.cause, message.readsGoOn);
		if (message.kind !== "failed") return;
		if (isFailedSync(message)) stopUntilRestart(`a sync of ${workerData.file} failed`);
		committing?.reject(toStoreError(Object.assign(new Error(message.message), { code: message.code })));
	});
	worker.on("error", (error) => stopUntilRestart(`the writer thread failed (${error.message})`));
	worker.on("exit", () => {
		stopUntilRestart("the writer thread has ended");
		exited.resolve();
	});

	return {
		isNew: opened.kind === "opened" && opened.isNew,
		/**
		 * Commits a batch in one transaction; resolves when it is on disk. Must not be called while a batch is pending.
		 * @param leftMs how long the batch may wait while another process writes
		 */
		async commit(batch: Write[], leftMs: number): Promise<Timed<unknown>> {
			if (fatalError) throw fatalError;
			committing = Promise.withResolvers();
			worker.postMessage(toSentBatch(batch, leftMs));
			return toResults(batch, await committing.promise);
		},
		close(): Promise<void> {
			isClosing = true;
			worker.postMessage("close");
			return exited.promise;
		},
	};
}

function toSentBatch(batch: Write[], lockWaitMs: number): SentBatch {
	const creates: SentCreates[] = [];
	const others: OtherWrite[] = [];
	for (const write of batch) {
		if (write.name === "createPets") creates.push(write.creates);
		else others.push(write);
	}
	return { creates: joinCreates(creates), others, lockWaitMs };
}

function toResults(batch: Write[], { created, others, syncMs }: SentResults): Timed<unknown> {
	const creates = createResults(created);
	const rest = others.values();
	const results = batch.map((write) =>
		write.name === "createPets"
			? Array.from({ length: write.creates.count }, () => creates.next().value)
			: rest.next().value,
	);
	return { results, syncMs };
}
