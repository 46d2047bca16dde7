// Reads the counters every two seconds while the page is visible, and less often while the service does not answer.

import { useEffect, useState } from "preact/hooks";
import { ApiError } from "../../client/src/index.ts";
import type { History } from "./rates.ts";
import type { Session } from "./session.ts";

const intervalMs = 2_000;
const longestMs = 30_000;

/** The number of replies, and the failure of the last request. */
export interface WatchState {
	answers: number;
	failure?: unknown;
	reload(): void;
}

export function useWatch(session: Session, history: History): WatchState {
	const [state, setState] = useState<Omit<WatchState, "reload">>({ answers: 0 });
	const [turn, setTurn] = useState(0);
	useEffect(() => {
		const leaving = new AbortController();
		let timer: ReturnType<typeof setTimeout> | undefined;
		let isPending = false;
		let failures = 0;

		async function update(): Promise<void> {
			clearTimeout(timer);
			if (isPending || document.visibilityState !== "visible") return;
			isPending = true;
			const afterMs = await readOnce();
			isPending = false;
			if (afterMs !== undefined && !leaving.signal.aborted) timer = setTimeout(update, afterMs);
		}

		/** Returns how long to wait before the next request; undefined when another one cannot succeed. */
		async function readOnce(): Promise<number | undefined> {
			try {
				history.add(await session.activity(leaving.signal), Date.now());
				failures = 0;
				setState(({ answers }) => ({ answers: answers + 1 }));
				return intervalMs;
			} catch (failure) {
				if (leaving.signal.aborted) return undefined;
				setState(({ answers }) => ({ answers, failure }));
				failures++;
				return isForbidden(failure) ? undefined : Math.min(intervalMs * 2 ** failures, longestMs);
			}
		}

		void update();
		document.addEventListener("visibilitychange", update);
		return () => {
			leaving.abort();
			clearTimeout(timer);
			document.removeEventListener("visibilitychange", update);
		};
	}, [session, history, turn]);
	return { ...state, reload: () => setTurn((count) => count + 1) };
}

export function isForbidden(failure: unknown): boolean {
	return failure instanceof ApiError && failure.code === "insufficient_scope";
}
