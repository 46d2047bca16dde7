// Handles Ctrl-C and other stop signals: work under way is finished first. A second signal ends the process at once.

import { CommandError, Interrupted } from "./command-error.ts";

/** Sent by Ctrl-C, by a supervisor, and by a terminal that closes. */
const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
export const interruptedExitCode = 130;
/** How long requests under way may take after a stop. */
const graceMs = 10_000;
/** Signals within this time count as one, because a wrapper may forward a signal that was also sent directly. */
const sameSignalMs = 1000;

/** Calls `first` at the first of these signals, `again` at a later one. @returns a function that ends the handling */
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

/**
 * Runs work that a signal can end.
 * @param outcome the state after an interruption, for the message
 * @param work `requested` aborts at the first signal, `overdue` 10 seconds later: until then, requests may finish
 * @throws the error of the work; after a signal, Interrupted instead, unless the error is a CommandError
 */
export async function interruptible<Result>(
	outcome: string,
	work: (requested: AbortSignal, overdue: AbortSignal) => Promise<Result>,
	onFirst: () => void = () => {},
): Promise<Result> {
	const [requested, overdue] = [new AbortController(), new AbortController()];
	const onSignal = () => {
		// A new line, because the terminal has written ^C.
		if (process.stderr.isTTY) process.stderr.write("\n");
		requested.abort();
		setTimeout(() => overdue.abort(), graceMs).unref();
		onFirst();
	};
	const off = onSignals(signals, onSignal, () => process.exit(interruptedExitCode));
	try {
		return await work(requested.signal, overdue.signal);
	} catch (error) {
		const isInterrupted = requested.signal.aborted && !(error instanceof CommandError);
		throw isInterrupted ? new Interrupted(`interrupted: ${outcome}`) : error;
	} finally {
		off();
	}
}
