// A process that opens, writes to and closes a store on command, for tests with several concurrent processes.

import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import type { TestContext } from "node:test";
import { fileURLToPath } from "node:url";
import { openStore } from "../../src/store/open.ts";
import type { Store } from "../../src/store/store.ts";

type Task = "open" | "create" | "close" | "die";

/** @returns a function that makes the process do a task, and resolves when the task is done */
export function startStoreProcess(context: TestContext, databaseUrl: string): (task: Task) => Promise<void> {
	const child: ChildProcess = fork(fileURLToPath(import.meta.url), [databaseUrl]);
	context.after(() => child.kill("SIGKILL"));
	return async (task) => {
		child.send(task);
		if (task === "die") return void (await once(child, "exit"));
		const [error] = await once(child, "message");
		if (error !== "") throw new Error(`${task}: ${error}`);
	};
}

if (process.send) {
	let store: Store | undefined;
	const tasks: Record<Task, () => Promise<unknown>> = {
		open: async () => {
			store = await openStore(process.argv[2] ?? "", Date.now);
		},
		create: async () => store?.createPet({ name: "Rex", categoryId: 1n }),
		close: async () => store?.close(),
		die: async () => process.kill(process.pid, "SIGKILL"),
	};
	process.on("message", (task: Task) => {
		tasks[task]().then(
			() => process.send?.(""),
			(error) => process.send?.(String(error)),
		);
	});
}
