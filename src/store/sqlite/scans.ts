// The main thread's side of scan-thread.ts. The thread starts with the first request, and again after a failure.

import { extname } from "node:path";
import type { Worker } from "node:worker_threads";
import type { FindSql } from "../find.ts";
import { createLimit } from "../limit.ts";
import { StorageUnavailable } from "../store.ts";
import type { Row, Statement } from "../tables.ts";
import { startThread } from "../threads.ts";
import { toStoreError } from "./errors.ts";
import { petJson } from "./reads.ts";
import type { ScanData, ScanMessage } from "./scan-thread.ts";

/** How long a statement may wait for earlier statements. */
const waitMaxMs = 10_000;

export const findSql: FindSql = {
	petJson,
	// Most names are ASCII. For these, SQLite needs no JavaScript.
	folded: (text) => `iif(octet_length(${text}) = length(${text}), replace(lower(${text}), '\`', ''''), fold(${text}))`,
	contains: (text, part) => `instr(${text}, ${part}) > 0`,
	// A statement cannot be interrupted: this fails if nobody waits. Only every 8192nd id calls the slow function.
	isWanted: "(id & 8191 OR is_wanted())",
};

export function createScans(file: string) {
	const program = new URL(`./scan-thread${extname(import.meta.url)}`, import.meta.url);
	let thread: Worker | undefined;
	/** 1 if nobody waits for the statement that runs. */
	const left = new Int32Array(new SharedArrayBuffer(4));
	const leave = () => Atomics.store(left, 0, 1);
	let answer: PromiseWithResolvers<ScanMessage> | undefined;
	const inTurn = createLimit(1, waitMaxMs, "the earlier searches took too long");
	let isClosed = false;

	function start(): Worker {
		const worker = startThread(program, { file, left } satisfies ScanData);
		const lost = (cause: string) => {
			if (thread !== worker) return;
			thread = undefined;
			answer?.reject(new StorageUnavailable(`the search thread ${cause}`));
		};
		worker.on("message", (message: ScanMessage) => answer?.resolve(message));
		worker.on("error", ({ message }) => lost(`failed (${message})`));
		worker.on("exit", () => lost("has ended"));
		return worker;
	}

	async function ask(statement: Statement, signal?: AbortSignal): Promise<Row[]> {
		signal?.throwIfAborted();
		if (isClosed) throw new StorageUnavailable("the store is closed");
		thread ??= start();
		answer = Promise.withResolvers();
		Atomics.store(left, 0, 0);
		signal?.addEventListener("abort", leave);
		thread.postMessage(statement);
		const message = await answer.promise.finally(() => signal?.removeEventListener("abort", leave));
		if ("rows" in message) return message.rows;
		signal?.throwIfAborted();
		throw toStoreError(Object.assign(new Error(message.message), { code: message.code }));
	}

	return {
		/**
		 * Runs a statement after all earlier ones. An aborted signal ends the statement at its next call of `is_wanted`.
		 * @throws StorageUnavailable, or the signal's reason
		 */
		run: (statement: Statement, signal?: AbortSignal) => inTurn(() => ask(statement, signal)),
		/** Waits for the statement under way. */
		async close(): Promise<void> {
			isClosed = true;
			if (!thread) return;
			const exited = Promise.withResolvers<unknown>();
			thread.once("exit", exited.resolve).postMessage("close");
			await exited.promise;
		},
	};
}
