// Runs long work on a store: with a lower priority than the service, until a signal interrupts it, and with a bar on a
// terminal.

import { constants, setPriority } from "node:os";
import type { Options, SingleBar } from "cli-progress";
import { interruptible } from "./interrupt.ts";

export interface Progress {
	what: string;
	/** 0 of 0 where only the end is known. */
	done: number;
	total: number;
}

export interface LongWork {
	/** Ends the work. What is left of it then is removed. */
	signal: AbortSignal;
	onProgress?: (progress: Progress) => void;
}

const redrawEveryMs = 200;

/**
 * @param outcome the state after an interruption, for the message
 * @throws Interrupted
 */
export function longWork<Result>(outcome: string, work: (options: LongWork) => Promise<Result>): Promise<Result> {
	yieldToService();
	return interruptible(outcome, (signal) => (process.stderr.isTTY ? withBar(signal, work) : work({ signal })));
}

/** A lower priority is only a courtesy: a sandbox may refuse it. */
function yieldToService(): void {
	try {
		setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
	} catch {
		// The work has the priority of the service.
	}
}

/** A bar on standard error, where that is a terminal. */
export async function createBar(format: string, options: Options = {}): Promise<SingleBar> {
	const { default: cliProgress } = await import("cli-progress");
	return new cliProgress.SingleBar({ format, stream: process.stderr, barsize: 30, gracefulExit: false, ...options });
}

/** Shows a bar while the work runs, and removes it. */
async function withBar<Result>(signal: AbortSignal, work: (options: LongWork) => Promise<Result>): Promise<Result> {
	const bar = await createBar("{what} {bar} {percentage}% | {duration_formatted}", { clearOnComplete: true });
	bar.start(1, 0, { what: "starting" });
	// Shows the elapsed time also during a long step without progress.
	const redrawing = setInterval(() => bar.updateETA(), redrawEveryMs);
	try {
		return await work({
			signal,
			onProgress({ what, done, total }) {
				bar.setTotal(total);
				bar.update(done, { what });
			},
		});
	} finally {
		clearInterval(redrawing);
		bar.stop();
	}
}
