// Ctrl-C and other signals to stop, for the service and for commands that first finish the work under way. A second
// signal ends them at once.

import { Interrupted } from "./command-error.ts";

/** Sent by Ctrl-C, by a supervisor, and by a terminal that closes. */
const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
export const interruptedExitCode = 130;
/** How long requests under way may take after a stop. */
const graceMs = 10_000;
/** Signals within this time are one: terminals and supervisors send them to all processes, wrappers pass them on. */
const sameSignalMs = 1000;

/**
 * Calls `first` at the first of these signals, and `again` at a later one.
 * @returns a function that restores default signal handling
 */
export function onSignals(
	names: readonly NodeJS.Signals[],
	first: (signal: NodeJS.Signals) => void,
	again: () => void,
): () => void {
	let firstAtMs: number | undefined;
	const listener = (signal: NodeJS.Signals) => {
		const nowMs = performance.now();
		if (firstAtMs === undefined) {
			firstAtMs = nowMs;
			first(signal);
		} else if (nowMs - firstAtMs >= sameSignalMs) again();
	};
	for (const name of names) process.on(name, listener);
	return () => {
		for (const name of names) process.off(name, listener);
	};
}

export interface Interruption {
	/** Aborts at the first signal. */
	requested: AbortSignal;
	/** Aborts 10 seconds after it; until then, requests under way may finish. */
	overdue: AbortSignal;
	/** Restores default signal handling. */
	end(): void;
}

/** @param onFirst called at the first signal */
export function watchInterrupt(onFirst: () => void = () => {}): Interruption {
	const requested = new AbortController();
	const overdue = new AbortController();
	let timer: NodeJS.Timeout | undefined;
	const onSignal = () => {
		// The terminal has written ^C.
		if (process.stderr.isTTY) process.stderr.write("\n");
		requested.abort();
		timer = setTimeout(() => overdue.abort(), graceMs).unref();
		onFirst();
	};
	const off = onSignals(signals, onSignal, () => process.exit(interruptedExitCode));
	return {
		requested: requested.signal,
		overdue: overdue.signal,
		end() {
			clearTimeout(timer);
			off();
		},
	};
}

/**
 * Runs work that the first signal aborts.
 * @param outcome the state after an interruption, for the message
 * @throws Interrupted
 */
export async function interruptible<Result>(
	outcome: string,
	work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
	const { requested, end } = watchInterrupt();
	try {
		return await work(requested);
	} catch (error) {
		throw requested.aborted ? new Interrupted(`interrupted: ${outcome}`) : error;
	} finally {
		end();
	}
}
