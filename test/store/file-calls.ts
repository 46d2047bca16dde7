// Records the syncs, links and renames of the code under test. Otherwise, only a power loss would show a wrong order.

import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { basename } from "node:path";
import type { TestContext } from "node:test";

/** Makes the test's mocks of `node:fs` effective in all modules, until the end of the test. */
export function applyMocks(context: TestContext): void {
	syncBuiltinESMExports();
	context.after(() => {
		context.mock.restoreAll();
		syncBuiltinESMExports();
	});
}

/** @returns the calls, the open files, and a function that makes the next call of a kind fail with this code */
export function recordFileCalls(context: TestContext) {
	/** For example `sync a.db` and `link a.db.new a.db`: base names, with `.new` for every draft. */
	const calls: string[] = [];
	const failures = new Map<string, string>();
	/** By descriptor. */
	const opened = new Map<number, string>();
	const { openSync, closeSync, fsyncSync, linkSync, renameSync } = fs;
	const shown = (path: unknown) => basename(String(path)).replace(/\.\d+-\d+\.new/, ".new");
	function record(call: string, ...names: string[]): void {
		calls.push([call, ...names].join(" "));
		const code = failures.get(call);
		failures.delete(call);
		if (code) throw Object.assign(new Error(`${code}: injected by the test`), { code });
	}
	context.mock.method(fs, "openSync", (...given: Parameters<typeof openSync>) => {
		const descriptor = openSync(...given);
		opened.set(descriptor, shown(given[0]));
		return descriptor;
	});
	context.mock.method(fs, "closeSync", (descriptor: number) => {
		opened.delete(descriptor);
		closeSync(descriptor);
	});
	context.mock.method(fs, "fsyncSync", (descriptor: number) => {
		record("sync", opened.get(descriptor) ?? "?");
		fsyncSync(descriptor);
	});
	context.mock.method(fs, "linkSync", (...given: Parameters<typeof linkSync>) => {
		record("link", ...given.map(shown));
		linkSync(...given);
	});
	context.mock.method(fs, "renameSync", (...given: Parameters<typeof renameSync>) => {
		record("rename", ...given.map(shown));
		renameSync(...given);
	});
	applyMocks(context);
	return { calls, opened, fail: (call: "sync" | "link", code: string) => failures.set(call, code) };
}
