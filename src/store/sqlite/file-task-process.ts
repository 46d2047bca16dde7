// The process of a file task. It gets one task, reports its progress and result, and ends early when the process that
// started it ends or closes the channel.

import { constants, setPriority } from "node:os";
import type { Progress, StoreReport } from "../report.ts";
import { StoreRefused } from "../store.ts";
import { backupSqlite } from "./backup.ts";
import type { FileTask, FileTaskMessage } from "./file-task.ts";
import { verifyFile } from "./verify.ts";

const ended = new AbortController();
process.once("disconnect", () => ended.abort());
// Ctrl-C and supervisors signal all processes; this one stops with the one that started it.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => {});
process.once("message", (task: FileTask) => void run(task));

/** Resolves when the message is sent, or cannot be. */
function send(message: FileTaskMessage): Promise<void> {
	return new Promise((resolve) => {
		if (!process.connected || !process.send) return resolve();
		process.send(message, undefined, undefined, () => resolve());
	});
}

async function run(task: FileTask): Promise<void> {
	yieldToService();
	try {
		await send({ kind: "done", result: await work(task) });
	} catch (error) {
		const { message, stack = message } = error as Error;
		await send(error instanceof StoreRefused ? { kind: "refused", message } : { kind: "failed", message: stack });
	}
	if (process.connected) process.disconnect();
}

/** A lower priority is only a courtesy: a sandbox may refuse it. */
function yieldToService(): void {
	try {
		setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
	} catch {
		// The task runs at the priority of the service.
	}
}

function work({ name, request }: FileTask): Promise<number | StoreReport> {
	const onProgress = (progress: Progress) => void send({ kind: "progress", progress });
	return name === "backup"
		? backupSqlite(request.file, request.to, { signal: ended.signal, onProgress })
		: verifyFile(request.file, onProgress, ended.signal);
}
