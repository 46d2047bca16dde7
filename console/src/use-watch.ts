// Reads the figures of the service while the page is visible, and less often while the service does not answer.

import { useEffect } from "preact/hooks";
import type { Activity, Totals } from "../../src/contract/console.ts";
import { callAfter } from "./pause.ts";
import { may, type Session } from "./session.ts";
import { type RequestState, useRequest } from "./use-request.ts";

const everyMs = 5_000;

export type WatchState = RequestState<Activity | undefined>;

/** Reads nothing with a key that lacks the scope. */
export function useWatch(session: Session): WatchState {
	const watch = useRequest(
		async (signal) => {
			if (!may(session, "metrics:read")) return undefined;
			await visibility(signal);
			return session.activity(signal);
		},
		[session],
	);
	const { value, loadedAtMs, failure, reload } = watch;
	useEffect(() => {
		if (value && failure === undefined) return callAfter(everyMs, reload);
	}, [loadedAtMs, failure]);
	return watch;
}

/** Resolves when the page is visible. */
async function visibility(signal: AbortSignal): Promise<void> {
	while (document.visibilityState !== "visible")
		await new Promise((changed) => document.addEventListener("visibilitychange", changed, { once: true, signal }));
}

/** The number of animals with any status or none. */
export function totalOf({ available, pending, sold, none }: Totals): number {
	return available + pending + sold + none;
}
