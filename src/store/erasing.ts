// Erases the names that edits in the console have replaced, soon after them or after the next start. It reads the whole
// file, so a process of its own does it, once for all edits meanwhile.

import type { ChildProcess } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import type { Background } from "./background.ts";
import { runCommand } from "./command-process.ts";

const pauseMs = 10_000;
/** After a failure, such as another program that reads an old state. */
const retryMs = 10 * 60_000;

export interface Erasing {
	/** Names were replaced. */
	start(): void;
	/** Ends the work under way; the next one erases what it leaves. */
	stop(): Promise<void>;
}

/** @param environment see `runCommand` */
export function createErasing(background: Background, environment: NodeJS.ProcessEnv): Erasing {
	const stopping = new AbortController();
	const { signal } = stopping;
	let child: ChildProcess | undefined;
	let isWanted = false;
	let running: Promise<void> | undefined;

	async function erase(): Promise<void> {
		const erasing = runCommand(["pets", "erase-names"], environment);
		child = erasing.child;
		await erasing.output.catch((error) => {
			if (!signal.aborted) throw error;
		});
	}

	async function eraseAll(): Promise<void> {
		while (isWanted && !signal.aborted) {
			isWanted = false;
			const isErased = await background.run("erase", erase);
			isWanted ||= !isErased;
			await sleep(isErased ? pauseMs : retryMs, undefined, { signal, ref: false }).catch(() => {});
		}
		running = undefined;
	}

	return {
		start() {
			isWanted = true;
			running ??= eraseAll();
		},
		async stop() {
			stopping.abort();
			child?.kill("SIGKILL");
			await running;
		},
	};
}
