// A request to the service as state of a component. The request is sent again when its inputs change, on `reload`, and
// automatically after a temporary failure. The last reply stays while a newer request is pending or fails.

import { useEffect, useRef, useState } from "preact/hooks";
import { pauseAfter } from "./pause.ts";

export interface RequestState<T> {
	value?: T | undefined;
	/** When `value` arrived, in milliseconds since 1970. */
	loadedAtMs?: number | undefined;
	failure?: unknown;
	/** The time of the next automatic retry; undefined if a retry cannot help. */
	retryAtMs?: number | undefined;
	isPending: boolean;
	reload(): void;
}

/** @param send resolves to undefined if there is nothing to request */
export function useRequest<T>(send: (signal: AbortSignal) => Promise<T>, inputs: readonly unknown[]): RequestState<T> {
	const [answer, setAnswer] = useState<Omit<RequestState<T>, "reload">>({ isPending: true });
	const [turn, setTurn] = useState(0);
	const running = useRef<AbortController>(undefined);
	useEffect(() => {
		const leaving = new AbortController();
		running.current = leaving;
		let timer: ReturnType<typeof setTimeout>;
		function attempt(failures: number): void {
			void send(leaving.signal).then(
				(value) => {
					if (!leaving.signal.aborted) setAnswer({ value, loadedAtMs: Date.now(), isPending: false });
				},
				(failure) => {
					if (leaving.signal.aborted) return;
					const afterMs = pauseAfter(failure, failures);
					if (afterMs !== undefined) timer = setTimeout(attempt, afterMs, failures + 1);
					const retryAtMs = afterMs === undefined ? undefined : Date.now() + afterMs;
					setAnswer(({ value, loadedAtMs }) => ({ value, loadedAtMs, failure, retryAtMs, isPending: false }));
				},
			);
		}
		// This attempt replaces the scheduled retry, so the countdown ends.
		setAnswer((before) => ({ ...before, retryAtMs: before.retryAtMs && Date.now(), isPending: true }));
		attempt(0);
		return () => {
			leaving.abort();
			clearTimeout(timer);
		};
	}, [...inputs, turn]);
	/** Aborts the current request, so that its reply is not shown. */
	function reload(): void {
		running.current?.abort();
		setTurn((count) => count + 1);
	}
	return { ...answer, reload };
}
