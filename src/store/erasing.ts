// Erases the names that edits in the console have replaced, soon after the edits or after the next start. It reads the
// whole file, so a separate process does it, once for all edits up to then.

import { setTimeout as sleep } from "node:timers/promises";
import type { Background } from "./background.ts";
import { runCommand } from "./command-process.ts";

/** Erasing fails while other processes hold long read transactions; each time, the pause doubles up to this time. */
const pauseMaxMs = 10 * 60_000;

/** @param environment see `runCommand` @param pauseMs between two runs */
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
		/** Ends the run under way; the next run erases what it leaves. */
		async stop() {
			stopping.abort();
			await running;
		},
	};
}
