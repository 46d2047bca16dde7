// Runs long work on a store: with a lower priority than the service, until a signal interrupts it, and with a bar on a
// terminal.

import { constants, setPriority } from "node:os";
import { createBar, secondsOf } from "./bar.ts";
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
	return interruptible(outcome, async (signal) => {
		const bar = createBar();
		const startedAtMs = performance.now();
		let { what, done, total }: Progress = { what: "starting", done: 0, total: 0 };
		const draw = () => bar.draw(done, total, `${what} | ${secondsOf((performance.now() - startedAtMs) / 1000)}`);
		draw();
		// Also during a long step without progress.
		const drawing = setInterval(draw, redrawEveryMs);
		const onProgress = (progress: Progress) => {
			({ what, done, total } = progress);
		};
		return work({ signal, onProgress }).finally(() => {
			clearInterval(drawing);
			bar.clear();
		});
	});
}

/** A lower priority is only a courtesy: a sandbox may refuse it. */
function yieldToService(): void {
	try {
		setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
	} catch {
		// The work has the priority of the service.
	}
}
