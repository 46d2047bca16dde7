// Long work on the file of a store: a backup, or a verification. It runs in a process of its own, so that neither the
// event loop nor the writer waits for it, and it can be ended at any time.

import { fork } from "node:child_process";
import { once } from "node:events";
import { extname } from "node:path";
import { fileURLToPath } from "node:url";
import type { OnProgress, Progress, StoreReport } from "../report.ts";
import { StoreRefused } from "../store.ts";

export interface FileTasks {
	/** @returns the number of animals in the backup */
	backup: { request: { file: string; to: string }; result: number };
	verify: { request: { file: string }; result: StoreReport };
}

export type FileTaskName = keyof FileTasks;

/** What the process is to do. */
export type FileTask = { [Name in FileTaskName]: { name: Name; request: FileTasks[Name]["request"] } }[FileTaskName];

/** From the process. One of the last three is its last message. */
export type FileTaskMessage =
	| { kind: "progress"; progress: Progress }
	| { kind: "done"; result: number | StoreReport }
	| { kind: "refused"; message: string }
	| { kind: "failed"; message: string };

export interface FileTaskOptions {
	/** Ends the work. What is left of it then is removed. */
	signal: AbortSignal;
	onProgress?: OnProgress | undefined;
}

/** How long the process may take to remove what it has written so far. */
const abortMs = 1000;

/** @throws StoreRefused, and the signal's reason */
export async function runFileTask<Name extends FileTaskName>(
	name: Name,
	request: FileTasks[Name]["request"],
	{ signal, onProgress = () => {} }: FileTaskOptions,
): Promise<FileTasks[Name]["result"]> {
	signal.throwIfAborted();
	const program = fileURLToPath(new URL(`./file-task-process${extname(import.meta.url)}`, import.meta.url));
	const child = fork(program, { execArgv: [], stdio: ["ignore", "ignore", "inherit", "ipc"] });
	child.on("error", () => {}); // Of a message that it did not read; its exit tells more.
	let last: Exclude<FileTaskMessage, { kind: "progress" }> | undefined;
	let killer: NodeJS.Timeout | undefined;
	child.on("message", (message: FileTaskMessage) => {
		if (message.kind === "progress") onProgress(message.progress);
		else last = message;
	});
	const end = () => {
		if (child.connected) child.disconnect();
		killer = setTimeout(() => child.kill("SIGKILL"), abortMs);
	};
	signal.addEventListener("abort", end, { once: true });
	try {
		child.send({ name, request } satisfies { name: Name; request: FileTasks[Name]["request"] });
		const [code, killed] = await once(child, "exit");
		if (child.connected) await once(child, "disconnect"); // Its last message may be unread.
		if (last?.kind === "done") return last.result as FileTasks[Name]["result"];
		signal.throwIfAborted();
		if (last?.kind === "refused") throw new StoreRefused(last.message);
		throw new Error(last?.message ?? `the ${name} ended with ${killed ?? code}`);
	} finally {
		clearTimeout(killer);
		signal.removeEventListener("abort", end);
	}
}
