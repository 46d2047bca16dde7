// Whether writes succeed, judged by the commits themselves. While there are none, a small write finds out.

import { StorageUnavailable, type WriteQueue, type WriteState } from "./store.ts";

/** How old the latest outcome may be before a small write asks again. */
const trustedMs = { working: 5_000, failing: 1_000 };

export interface WriteWatch {
	/** Takes note of how a commit ends. */
	observe<Results>(commit: Promise<Results>): Promise<Results>;
	/** See `Store.writeState`. */
	state(queue: WriteQueue): WriteState;
	/** All further writes fail. */
	stop(): void;
}

/** @param probe writes something that changes nothing */
export function watchWrites(probe: () => Promise<unknown>): WriteWatch {
	let state: Exclude<WriteState, "slow"> = "working";
	let knownAtMs = performance.now();
	let isAsking = false;

	function note(next: typeof state): void {
		if (state === "stopped") return;
		state = next;
		knownAtMs = performance.now();
	}
	const noteFailure = (error: unknown) => {
		if (error instanceof StorageUnavailable) note("failing");
	};

	function askAgain(): void {
		if (state === "stopped" || isAsking || performance.now() - knownAtMs < trustedMs[state]) return;
		isAsking = true;
		probe()
			.then(() => note("working"), noteFailure)
			.finally(() => {
				isAsking = false;
			});
	}

	return {
		observe(commit) {
			commit.then(() => note("working"), noteFailure);
			return commit;
		},
		state(queue) {
			askAgain();
			return state === "working" && queue.isFull ? "slow" : state;
		},
		stop: () => note("stopped"),
	};
}
