// Reads the figures of the service while the page is visible, and less often while the service does not answer.

import { useEffect, useState } from "preact/hooks";
import type { Activity, Totals } from "../../src/contract/console.ts";
import { callAfter, pauseAfter } from "./pause.ts";
import { may, type Session } from "./session.ts";

const everyMs = 5_000;

export interface WatchState {
	/** The newest figures. */
	figures?: Activity | undefined;
	/** The failure of the last request. */
	failure?: unknown;
	/** When the figures are read again after a failure. */
	retryAtMs?: number | undefined;
	reload(): void;
}

/** Reads nothing with a key that lacks the scope. */
export function useWatch(session: Session): WatchState {
	const [state, setState] = useState<Omit<WatchState, "reload">>({});
	const [turn, setTurn] = useState(0);
	useEffect(() => {
		if (!may(session, "metrics:read")) return;
		const leaving = new AbortController();
		let cancel = () => {};
		let isPending = false;
		let failures = 0;

		async function update(): Promise<void> {
			cancel();
			if (isPending || document.visibilityState !== "visible") return;
			isPending = true;
			const afterMs = await readOnce();
			isPending = false;
			if (afterMs !== undefined && !leaving.signal.aborted) cancel = callAfter(afterMs, update);
		}

		/** Returns how long to wait before the next request; undefined when another one cannot succeed. */
		async function readOnce(): Promise<number | undefined> {
			try {
				const figures = await session.activity(leaving.signal);
				failures = 0;
				setState({ figures });
				return everyMs;
			} catch (failure) {
				if (leaving.signal.aborted) return undefined;
				const afterMs = pauseAfter(failure, failures++);
				const retryAtMs = afterMs === undefined ? undefined : Date.now() + afterMs;
				setState(({ figures }) => ({ figures, failure, retryAtMs }));
				return afterMs;
			}
		}

		void update();
		document.addEventListener("visibilitychange", update, { signal: leaving.signal });
		return () => {
			leaving.abort();
			cancel();
		};
	}, [session, turn]);
	return { ...state, reload: () => setTurn((count) => count + 1) };
}

/** The number of animals with any status or none. */
export function totalOf({ available, pending, sold, none }: Totals): number {
	return available + pending + sold + none;
}
