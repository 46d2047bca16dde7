// Erases the names that edits in the console have replaced, soon after them or after the next start. It reads the whole
// file, so a process of its own does it, once for all edits meanwhile.

import { setTimeout as sleep } from "node:timers/promises";
import type { Background } from "./background.ts";
import { runCommand } from "./command-process.ts";

/** While other processes hold long read transactions, erasing fails, and the pause doubles up to this time. */
const pauseMaxMs = 10 * 60_000;

/** @param environment see `runCommand` @param pauseMs between two erasings */
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
		/** To be called after an edit that replaces a name. */
		start() {
			isWanted = true;
			running ??= eraseAll();
		},
		/** Ends the work under way; the next one erases what it leaves. */
		async stop() {
			stopping.abort();
			await running;
		},
	};
}
