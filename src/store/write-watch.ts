// Watches whether writes succeed: notes the outcome of each commit and, if no commit was recent, tries a small write.

import type { StoreOptions } from "./engine.ts";
import { StorageUnavailable, type WriteQueue, type WriteState } from "./store.ts";

/** If the latest outcome is older than this, a small write checks again. */
const trustedMs = { working: 5_000, failing: 1_000 };

/** @param probe makes a write that changes nothing */
export function watchWrites(
	probe: () => Promise<unknown>,
	{ background, onFatal }: Pick<StoreOptions, "background" | "onFatal">,
) {
	let state: Exclude<WriteState, "slow"> = "working";
	let knownAtMs = performance.now();
	let checking: Promise<unknown> | undefined;

	function note(next: typeof state): void {
		if (state === "stopped") return;
		state = next;
		knownAtMs = performance.now();
	}

	async function observe<Results>(commit: Promise<Results>): Promise<Results> {
		try {
			const results = await commit;
			note("working");
			return results;
		} catch (error) {
			if (error instanceof StorageUnavailable) note("failing");
			throw error;
		}
	}

	async function check(): Promise<void> {
		if (state === "stopped" || performance.now() - knownAtMs < trustedMs[state]) return;
		checking ??= background
			.run("probe", () => observe(probe()))
			.finally(() => {
				checking = undefined;
			});
		await checking;
	}

	return {
		observe,
		check,
		/** See `Store.writeState`; for `check`, see `Store.checkWrites`. */
		state(queue: WriteQueue): WriteState {
			void check();
			return state === "working" && queue.isFull ? "slow" : state;
		},
		/** Call this once, when all further writes will fail. For the parameters, see `OpenOptions.onFatal`. */
		stop(reason: string, readsGoOn: boolean): void {
			note("stopped");
			onFatal?.(reason, readsGoOn);
		},
	};
}
