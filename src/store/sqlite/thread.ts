// Starts the threads of the embedded store.

import { Worker } from "node:worker_threads";
import { compileCacheVariable } from "../compile-cache.ts";

/**
 * `execArgv` is empty: modules that Node loads by an option, such as a tracing SDK, are for the main thread. So is the
 * environment.
 */
export function startThread(program: URL, workerData: unknown): Worker {
	return new Worker(program, { workerData, execArgv: [], env: { ...compileCacheVariable() } });
}
