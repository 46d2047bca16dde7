// An error as the sentences that a person at the terminal can act on.

import { ConfigError } from "../config.ts";
import { NoSuchKey } from "../keys/issue.ts";
import { StorageUnavailable, StoreRefused } from "../store/store.ts";

/** One sentence for each problem. Where nobody foresaw the error, its stack is what helps. */
export function sentences(error: unknown): string[] {
	if (error instanceof ConfigError) return error.problems;
	if (error instanceof StoreRefused || error instanceof NoSuchKey) return [error.message];
	if (error instanceof StorageUnavailable) return [`the store cannot be written: ${error.message}`];
	const { code, port, address, stack } = error as NodeJS.ErrnoException & { port?: number; address?: string };
	switch (code) {
		case "EADDRINUSE":
			return [
				`port ${port} on ${address} is in use: stop what listens there, or choose another with PORT or OPS_PORT (0 picks a free one)`,
			];
		case "EACCES":
			return [`port ${port} needs more rights than this user has: choose one above 1023 with PORT or OPS_PORT`];
		case "EADDRNOTAVAIL":
		case "ENOTFOUND":
			return [`${address ?? "the host"} is no address of this machine: mend HOST or OPS_HOST`];
		default:
			return [stack ?? String(error)];
	}
}
