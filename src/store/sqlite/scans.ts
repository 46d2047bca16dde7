// The main thread's side of the thread for finding and counting (scan-thread.ts). It starts with the first request,
// runs one statement after another, and is started again after a failure.

import { extname } from "node:path";
import { Worker } from "node:worker_threads";
import type { FindSql } from "../find.ts";
import { StorageUnavailable } from "../store.ts";
import type { Row, Statement } from "../tables.ts";
import { toStoreError } from "./errors.ts";
import { petJson } from "./reads.ts";
import type { ScanMessage } from "./scan-thread.ts";

/** How long a statement waits for those before it. */
const waitMaxMs = 10_000;

export const findSql: FindSql = {
	petJson,
	// Most names are ASCII, for which SQLite needs no JavaScript.
	folded: (text) => `iif(octet_length(${text}) = length(${text}), lower(${text}), fold(${text}))`,
	contains: (text, part) => `instr(${text}, ${part}) > 0`,
};

interface Scan extends PromiseWithResolvers<Row[]> {
	statement: Statement;
	signal: AbortSignal | undefined;
	sinceMs: number;
}

export function createScans(file: string) {
	const program = new URL(`./scan-thread${extname(import.meta.url)}`, import.meta.url);
	const waiting: Scan[] = [];
	let running: Scan | undefined;
	let thread: Worker | undefined;
	let isClosed = false;

	function start(): Worker {
		const worker = new Worker(program, { workerData: file, execArgv: [], env: {} });
		const lost = (cause: string) => {
			if (thread !== worker) return;
			thread = undefined;
			end((scan) => scan.reject(new StorageUnavailable(`the thread that finds animals ${cause}`)));
		};
		worker.on("message", (message: ScanMessage) =>
			end((scan) => {
				if ("rows" in message) scan.resolve(message.rows);
				else scan.reject(toStoreError(Object.assign(new Error(message.message), { code: message.code })));
			}),
		);
		worker.on("error", ({ message }) => lost(`failed (${message})`));
		worker.on("exit", () => lost("has ended"));
		return worker;
	}

	function end(settle: (scan: Scan) => void): void {
		if (running) settle(running);
		running = undefined;
		next();
	}

	/** Begins the next one that somebody still waits for. */
	function next(): void {
		while (!running && waiting.length > 0) {
			const scan = waiting.shift() as Scan;
			const isLate = performance.now() - scan.sinceMs > waitMaxMs;
			if (scan.signal?.aborted) scan.reject(scan.signal.reason);
			else if (isClosed) scan.reject(new StorageUnavailable("the store is closed"));
			else if (isLate) scan.reject(new StorageUnavailable("too many others look for animals"));
			else running = scan;
		}
		if (!running) return;
		thread ??= start();
		thread.postMessage(running.statement);
	}

	return {
		/** @throws StorageUnavailable, and the signal's reason */
		run(statement: Statement, signal?: AbortSignal): Promise<Row[]> {
			const scan = { ...Promise.withResolvers<Row[]>(), statement, signal, sinceMs: performance.now() };
			waiting.push(scan);
			if (!running) next();
			return scan.promise;
		},
		/** Waits for the one that runs. */
		async close(): Promise<void> {
			isClosed = true;
			if (!thread) return;
			const exited = Promise.withResolvers<unknown>();
			thread.once("exit", exited.resolve).postMessage("close");
			await exited.promise;
		},
	};
}
