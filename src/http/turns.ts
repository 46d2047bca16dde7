// Shares the event loop among connections. What arrives is handled at once while the turn of the event loop has room.
// The rest waits, and each following turn takes some of it, of one connection after another.

/** The most that is handled in one turn before others are heard, with what follows the turn: reads and replies. */
const turnMs = 5;
const turnWithRepliesMs = 10;
/** What waits gets its next turn after that, if it is on no more connections than this allows. */
const roundMs = 20;

/** What waits on one connection. */
export interface Line {
	/** Handles the next piece. @returns whether more can follow */
	next(): boolean;
}

export interface Turns {
	/** Whether this turn can handle more. */
	hasRoom(): boolean;
	/** The most requests of a line in one piece. */
	share(): number;
	/** So many requests were handled. */
	count(requests: number): void;
	/** Calls `next` in later turns, in fair shares with other lines, until it is false. */
	enter(line: Line): void;
	/** The mean time that a line waited for its next turn, since the last call. */
	readWaitMs(): number;
}

export interface TurnsOptions {
	/** Milliseconds on the monotonic clock. */
	now?: () => number;
	/** Calls back after the event loop has looked for what arrived. */
	nextTurn?: (run: () => void) => unknown;
}

export function createTurns({ now = () => performance.now(), nextTurn = setImmediate }: TurnsOptions = {}): Turns {
	/** The lines in the order of their turns, and since when they wait. */
	const queue = new Map<Line, number>();
	let isOpen = false;
	let openedAtMs = 0;
	let handled = 0;
	/** Of a request with its reply, as the last turns were. */
	let costMs = 0.01;
	let waits = { ms: 0, count: 0 };

	function open(): void {
		if (isOpen) return;
		isOpen = true;
		openedAtMs = now();
		handled = 0;
		nextTurn(close);
	}

	function hasRoom(): boolean {
		open();
		return handled * costMs < turnWithRepliesMs && now() < openedAtMs + turnMs;
	}

	function close(): void {
		isOpen = false;
		if (handled > 0) costMs += ((now() - openedAtMs) / handled - costMs) / 2;
		// A Map's loop also reaches what is added during it.
		for (const [line, sinceMs] of queue) {
			if (!hasRoom()) return;
			queue.delete(line);
			waits.ms += now() - sinceMs;
			waits.count++;
			if (line.next()) queue.set(line, now());
		}
	}

	return {
		hasRoom,
		share: () => roundMs / costMs / (queue.size + 1),
		count(requests) {
			handled += requests;
		},
		enter(line) {
			if (!queue.has(line)) queue.set(line, now());
			open();
		},
		readWaitMs() {
			const { ms, count } = waits;
			waits = { ms: 0, count: 0 };
			return count && ms / count;
		},
	};
}
