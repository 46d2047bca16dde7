// Reads the totals and the activity while the page is visible, less often while the service does not answer.

import { useEffect } from "preact/hooks";
import type { Activity, Totals } from "../../../src/contract/console.ts";
import { type RequestState, useRequest } from "../parts/use-request.ts";
import { may, type Session } from "./session.ts";

const everyMs = 5_000;

export type WatchState = RequestState<Activity | undefined>;

/** Reads nothing if the key lacks the scope. */
export function useWatch(session: Session): WatchState {
	const watch = useRequest(
		async (signal) => {
			if (!may(session, "pets:read")) return undefined;
			await visibility(signal);
			return session.ask<Activity>("/console/activity", { signal });
		},
		[session],
	);
	const { value, loadedAtMs, failure, reload } = watch;
	useEffect(() => {
		if (!value || failure !== undefined) return;
		const timer = setTimeout(reload, everyMs);
		return () => clearTimeout(timer);
	}, [loadedAtMs, failure]);
	return watch;
}

/** Resolves when the page is visible. */
async function visibility(signal: AbortSignal): Promise<void> {
	while (document.visibilityState !== "visible")
		await new Promise((changed) => document.addEventListener("visibilitychange", changed, { once: true, signal }));
}

/** The number of animals, whatever their status. */
export function totalOf({ available, pending, sold, none }: Totals): number {
	return available + pending + sold + none;
}
