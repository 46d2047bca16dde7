// Ctrl-C and its like, for commands that have something to finish: the first asks to stop, the second ends at once.

import { Interrupted } from "./sentences.ts";

/** Those who ask to stop: Ctrl-C, a supervisor, a terminal that closes. */
const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
export const interruptedExitCode = 130;
/** How long requests under way may take once all shall stop. */
const graceMs = 10_000;

export interface Interruption {
	/** Aborts with the first signal. */
	requested: AbortSignal;
	/** Aborts some seconds after `stop`: what is under way may finish until then. */
	overdue: AbortSignal;
	/** Stops for another reason than a signal. */
	stop(): void;
	/** Signals mean again what they mean everywhere. */
	end(): void;
}

/** @param onFirst tells the person that the signal has been heard */
export function watchInterrupt(onFirst: () => void = () => {}): Interruption {
	const requested = new AbortController();
	const overdue = new AbortController();
	let timer: NodeJS.Timeout | undefined;
	const stop = () => {
		timer ??= setTimeout(() => overdue.abort(), graceMs).unref();
	};
	const hear = () => {
		if (requested.signal.aborted) process.exit(interruptedExitCode);
		requested.abort();
		stop();
		onFirst();
	};
	for (const signal of signals) process.on(signal, hear);
	return {
		requested: requested.signal,
		overdue: overdue.signal,
		stop,
		end() {
			clearTimeout(timer);
			for (const signal of signals) process.off(signal, hear);
		},
	};
}

/**
 * Runs work that the first signal ends.
 * @param outcome what the person is told then
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
