// The log: one JSON object a line (pino), written a little later than said so that requests do not wait for it.

import pino, { type DestinationStream, type Logger } from "pino";

/** Written to standard output; `flushLog` before the process ends. */
export function createLog(level: string): { log: Logger; flush: () => void } {
	const destination = pino.destination({ fd: 1, sync: false, minLength: 4096 });
	const flusher = setInterval(() => destination.flush(), 200).unref();
	const log = createLogTo(destination, level);
	return {
		log,
		flush() {
			clearInterval(flusher);
			destination.flushSync();
		},
	};
}

export function createLogTo(destination: DestinationStream, level: string): Logger {
	return pino(
		{
			level,
			base: null,
			timestamp: pino.stdTimeFunctions.isoTime,
			formatters: { level: (label) => ({ level: label }) },
			redact: ["*.authorization", "authorization", "key"],
		},
		destination,
	);
}
