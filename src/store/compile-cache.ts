// The cache of compiled code, which a process shares with its threads and with the commands that it starts. It halves
// the time of their start.

import { getCompileCacheDir } from "node:module";
import { dirname } from "node:path";

/** The variable that names the cache of this process; none if this process has no cache. */
export function compileCacheVariable(): { NODE_COMPILE_CACHE?: string } {
	const cache = getCompileCacheDir();
	// The folder is named after the version of Node, in the folder that the variable names.
	return cache === undefined ? {} : { NODE_COMPILE_CACHE: dirname(cache) };
}
