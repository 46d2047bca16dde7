// Runs a command's long work at a lower priority than the service, and shows the progress. A signal ends the work.

import { constants, setPriority } from "node:os";
import { interruptible } from "./interrupt.ts";
import { say } from "./output.ts";

interface Progress {
	what: string;
	/** If `total` is 0, the progress is unknown, and no bar is shown. */
	done: number;
	total: number;
}

export interface LongWork {
	/** When aborted, the work ends and removes its unfinished files. */
	signal: AbortSignal;
	onProgress?: (progress: Progress) => void;
}

const barWidth = 30;
const drawEveryMs = 100;
const clearToEnd = "\x1b[K";

/**
 * Shows the progress in a line of the terminal, if there is one. The line changes even during a long step.
 * @returns a function that removes the line
 */
export function showBar(state: () => Progress, stream: Bar = process.stderr): () => void {
	if (!stream.isTTY) return () => {};
	const draw = () => {
		const { what, done, total } = state();
		const share = Math.min(1, done / total);
		const full = Math.round(share * barWidth);
		const bar = `${"█".repeat(full)}${"░".repeat(barWidth - full)} ${Math.floor(100 * share)}% | `;
		const line = total > 0 ? bar + what : what;
		stream.write(`\r${line.slice(0, (stream.columns || 80) - 1)}${clearToEnd}`);
	};
	draw();
	const drawing = setInterval(draw, drawEveryMs);
	return () => {
		clearInterval(drawing);
		stream.write(`\r${clearToEnd}`);
	};
}

type Bar = Pick<NodeJS.WriteStream, "isTTY" | "columns"> & { write(text: string): unknown };

function withBar<Result>(work: (onProgress: (progress: Progress) => void) => Promise<Result>): Promise<Result> {
	const startedAtMs = performance.now();
	let last: Progress = { what: "starting", done: 0, total: 0 };
	const end = showBar(() => {
		const seconds = (performance.now() - startedAtMs) / 1000;
		return { ...last, what: `${last.what} | ${secondsOf(seconds)}` };
	});
	return work((progress) => {
		last = progress;
	}).finally(end);
}

/** @param outcome the state after an interruption, for the message @throws Interrupted */
export function longWork<Result>(outcome: string, work: (options: LongWork) => Promise<Result>): Promise<Result> {
	try {
		setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
	} catch {
		// If a sandbox refuses the lower priority, the work has the same priority as the service.
	}
	return interruptible(outcome, (signal) => withBar((onProgress) => work({ signal, onProgress })));
}

/** For example `12 s`, or `3 min` from two minutes on. */
export function secondsOf(seconds: number): string {
	return seconds < 120 ? `${Math.ceil(seconds)} s` : `${Math.ceil(seconds / 60)} min`;
}

const lineEveryMs = 10_000;
const quietMs = 5_000;

/** @param total the number of animals to send */
export function importProgress(total: number) {
	const startedAtMs = performance.now();
	let done = 0;
	let rejected = 0;
	let changedAtMs = startedAtMs;
	const pace = () => {
		const nowMs = performance.now();
		if (nowMs - changedAtMs > quietMs) return "waiting for the service";
		const rate = Math.round((done * 1000) / Math.max(1, nowMs - startedAtMs));
		return `${rate}/s${rate > 0 ? `, ${secondsOf((total - done) / rate)} left` : ""}`;
	};
	const endBar = showBar(() => ({ done, total, what: `${done} of ${total} | ${pace()} | ${rejected} rejected` }));
	const timer = setInterval(() => {
		if (!process.stderr.isTTY) say(`${done} of ${total} animals sent, ${rejected} rejected, ${pace()}`);
	}, lineEveryMs);
	return {
		update(nowDone: number, nowRejected: number): void {
			if (nowDone > done) changedAtMs = performance.now();
			done = nowDone;
			rejected = nowRejected;
		},
		end(): void {
			clearInterval(timer);
			endBar();
		},
	};
}
