// Ctrl-C and other signals to stop, for commands that first finish the work under way. The second signal ends the
// command at once.

import { Interrupted } from "./command-error.ts";

/** Sent by Ctrl-C, by a supervisor, and by a terminal that closes. */
const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
export const interruptedExitCode = 130;
/** How long requests under way may take after a stop. */
const graceMs = 10_000;

export interface Interruption {
	/** Aborts at the first signal. */
	requested: AbortSignal;
	/** Aborts 10 seconds after `stop` or the first signal; until then, requests under way may finish. */
	overdue: AbortSignal;
	/** Stops without a signal. */
	stop(): void;
	/** Restores default signal handling. */
	end(): void;
}

/** @param onFirst called at the first signal */
export function watchInterrupt(onFirst: () => void = () => {}): Interruption {
	const requested = new AbortController();
	const overdue = new AbortController();
	let timer: NodeJS.Timeout | undefined;
	const stop = () => {
		timer ??= setTimeout(() => overdue.abort(), graceMs).unref();
	};
	const onSignal = () => {
		if (requested.signal.aborted) process.exit(interruptedExitCode);
		// The terminal has written ^C.
		if (process.stderr.isTTY) process.stderr.write("\n");
		requested.abort();
		stop();
		onFirst();
	};
	for (const signal of signals) process.on(signal, onSignal);
	return {
		requested: requested.signal,
		overdue: overdue.signal,
		stop,
		end() {
			clearTimeout(timer);
			for (const signal of signals) process.off(signal, onSignal);
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
