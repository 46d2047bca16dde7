// Starts the threads of the embedded store. The threads, and the commands that the service starts, share the process's
// cache of compiled code, which halves their start.

import { getCompileCacheDir } from "node:module";
import { dirname } from "node:path";
import { Worker } from "node:worker_threads";

/** The environment variable that names the cache of this process; no variable if this process has no cache. */
export function compileCacheVariable(): { NODE_COMPILE_CACHE?: string } {
	const cache = getCompileCacheDir();
	// The folder of the cache is named after the version of Node, and is in the folder that the variable names.
	return cache === undefined ? {} : { NODE_COMPILE_CACHE: dirname(cache) };
}

/** Unlike the main thread, threads get no environment and no options of Node, such as one that loads a tracing SDK. */
export function startThread(program: URL, workerData: unknown): Worker {
	return new Worker(program, { workerData, execArgv: [], env: { ...compileCacheVariable() } });
}
