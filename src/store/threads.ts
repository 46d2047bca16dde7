// Starts the threads of the embedded store. They share the process's cache of compiled code, which halves their start;
// so do the commands that the service starts.

import { getCompileCacheDir } from "node:module";
import { dirname } from "node:path";
import { Worker } from "node:worker_threads";

/** The variable that names the cache of this process; none if this process has no cache. */
export function compileCacheVariable(): { NODE_COMPILE_CACHE?: string } {
	const cache = getCompileCacheDir();
	// The folder is named after the version of Node, in the folder that the variable names.
	return cache === undefined ? {} : { NODE_COMPILE_CACHE: dirname(cache) };
}

/** Modules that Node loads by an option, such as a tracing SDK, and the environment are for the main thread only. */
export function startThread(program: URL, workerData: unknown): Worker {
	return new Worker(program, { workerData, execArgv: [], env: { ...compileCacheVariable() } });
}
