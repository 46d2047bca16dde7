// Shares the event loop among connections. Requests are handled as they arrive while the turn of the event loop has
// room. The rest waits, and each following turn takes some of it, from one connection after another.

/** The longest turn before other connections are read, without and with the reads and replies that follow it. */
const turnMs = 5;
const turnWithRepliesMs = 10;
/** While clients connect, turns are shorter by this factor, because Node accepts only one of them in a turn. */
const whileConnecting = 0.2;
/** Each waiting connection gets a turn in this time, unless there are so many that one request of each takes longer. */
const roundMs = 20;

/** The waiting requests of one connection. */
export interface Line {
	/** Handles the next piece. @returns whether more can follow */
	next(): boolean;
}

export type Turns = ReturnType<typeof createTurns>;

/**
 * @param now milliseconds on the monotonic clock
 * @param nextTurn calls back after the event loop has read the sockets
 */
export function createTurns(now = () => performance.now(), nextTurn: (run: () => void) => unknown = setImmediate) {
	/** The lines in the order of their turns, and since when they wait. */
	const queue = new Map<Line, number>();
	let isOpen = false;
	let openedAtMs = 0;
	let handled = 0;
	/** The mean cost of a request with its reply in the last turns. */
	let costMs = 0.01;
	let waits = { ms: 0, count: 0 };
	/** 2 if a client has connected in this turn, 1 if one has in the turn before. */
	let connecting = 0;

	function open(): void {
		if (isOpen) return;
		isOpen = true;
		openedAtMs = now();
		handled = 0;
		nextTurn(close);
	}

	/** Whether this turn can handle more. */
	function hasRoom(): boolean {
		open();
		const factor = connecting > 0 ? whileConnecting : 1;
		return handled * costMs < factor * turnWithRepliesMs && now() < openedAtMs + factor * turnMs;
	}

	function close(): void {
		isOpen = false;
		connecting = Math.max(0, connecting - 1);
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
		/** A client has connected. */
		noteConnection(): void {
			open();
			connecting = 2;
		},
		/** Whether clients connect, and this turn has no room: then no request is handled at once. */
		isCrowded: () => connecting > 0 && !hasRoom(),
		/** The most requests of a line in one piece. */
		share: () => roundMs / costMs / (queue.size + 1),
		/** Counts requests that were handled. */
		count(requests: number): void {
			handled += requests;
		},
		/** Calls `next` in later turns, in fair shares with other lines, until it is false. */
		enter(line: Line): void {
			if (!queue.has(line)) queue.set(line, now());
			open();
		},
		/** The mean time that a line waited for its next turn, since the last call. */
		readWaitMs(): number {
			const { ms, count } = waits;
			waits = { ms: 0, count: 0 };
			return count && ms / count;
		},
	};
}
