// Starts the threads of the embedded store. The threads, and the commands that the service starts, share the process's
// cache of compiled code, so that they start in half the time.

import { getCompileCacheDir } from "node:module";
import { dirname } from "node:path";
import { Worker } from "node:worker_threads";

/** The environment variable with which threads and commands use this process's cache; empty if there is no cache. */
export function compileCacheVariable(): { NODE_COMPILE_CACHE?: string } {
	const cache = getCompileCacheDir();
	// The variable has the path of the parent folder, in which each version of Node has its own cache folder.
	return cache === undefined ? {} : { NODE_COMPILE_CACHE: dirname(cache) };
}

/** Threads get only the variable of the cache, and no options of Node, such as one that loads a tracing SDK. */
export function startThread(program: URL, workerData: unknown): Worker {
	return new Worker(program, { workerData, execArgv: [], env: { ...compileCacheVariable() } });
}
