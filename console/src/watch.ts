// Asks for the counters every two seconds while someone looks, and less often while nobody answers.

import { useEffect, useState } from "preact/hooks";
import { ApiError } from "../../client/src/index.ts";
import type { History } from "./rates.ts";
import type { Session } from "./session.ts";

const intervalMs = 2_000;
const longestMs = 30_000;

/** What the last question came to. */
export interface Watched {
	answers: number;
	failure?: unknown;
	again(): void;
}

export function useWatch(session: Session, history: History): Watched {
	const [state, setState] = useState<Omit<Watched, "again">>({ answers: 0 });
	const [turn, setTurn] = useState(0);
	useEffect(() => {
		const leaving = new AbortController();
		let timer: ReturnType<typeof setTimeout> | undefined;
		let isAsking = false;
		let failures = 0;

		async function ask(): Promise<void> {
			clearTimeout(timer);
			if (isAsking || document.visibilityState !== "visible") return;
			isAsking = true;
			const afterMs = await askOnce();
			isAsking = false;
			if (afterMs !== undefined && !leaving.signal.aborted) timer = setTimeout(ask, afterMs);
		}

		/** How long to wait before the next; undefined when no other answer is to be expected. */
		async function askOnce(): Promise<number | undefined> {
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

		void ask();
		document.addEventListener("visibilitychange", ask);
		return () => {
			leaving.abort();
			clearTimeout(timer);
			document.removeEventListener("visibilitychange", ask);
		};
	}, [session, history, turn]);
	return { ...state, again: () => setTurn((count) => count + 1) };
}

export function isForbidden(failure: unknown): boolean {
	return failure instanceof ApiError && failure.code === "insufficient_scope";
}
