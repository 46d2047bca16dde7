// Erases the names that edits in the console have replaced, soon after the edits or after the next start. Erasing reads
// the whole file, so a separate process does it; one run erases the names of all edits before it.

import { setTimeout as sleep } from "node:timers/promises";
import type { Background } from "./background.ts";
import { runCommand } from "./command-process.ts";

/** Erasing fails while other processes hold long read transactions. Each failure doubles the pause, up to this time. */
const pauseMaxMs = 10 * 60_000;

/** @param environment see `runCommand` @param pauseMs the pause between two runs */
export function createErasing(background: Background, environment: NodeJS.ProcessEnv, pauseMs = 10_000) {
	const stopping = new AbortController();
	const { signal } = stopping;
	let isWanted = false;
	let running: Promise<void> | undefined;

	async function eraseAll(): Promise<void> {
		for (let waitMs = pauseMs; isWanted && !signal.aborted; ) {
			isWanted = false;
			const isErased = await background.run("erase", () =>
				runCommand(["pets", "erase-names"], environment, signal).catch((error) => {
					if (!signal.aborted) throw error;
				}),
			);
			isWanted ||= !isErased;
			waitMs = isErased ? pauseMs : Math.min(2 * waitMs, pauseMaxMs);
			await sleep(waitMs, undefined, { signal, ref: false }).catch(() => {});
		}
		running = undefined;
	}

	return {
		/** Call this after an edit that replaces a name. */
		start() {
			isWanted = true;
			running ??= eraseAll();
		},
		/** Aborts the run under way. The next start of the service erases the names that are left. */
		async stop() {
			stopping.abort();
			await running;
		},
	};
}
