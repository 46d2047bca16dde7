// What a question to the service came to: asked again when its inputs change or someone asks for it, dropped when they leave.

import { useEffect, useState } from "preact/hooks";

export interface Asked<T> {
	/** The latest answer, also while a newer one is on its way. */
	value?: T;
	failure?: unknown;
	isPending: boolean;
	again(): void;
}

export function useAsked<T>(ask: (signal: AbortSignal) => Promise<T>, inputs: readonly unknown[]): Asked<T> {
	const [answer, setAnswer] = useState<Omit<Asked<T>, "again">>({ isPending: true });
	const [turn, setTurn] = useState(0);
	useEffect(() => {
		const leaving = new AbortController();
		const settle = (settled: Omit<Asked<T>, "again" | "isPending">) => {
			if (!leaving.signal.aborted) setAnswer({ ...settled, isPending: false });
		};
		setAnswer(({ value }) => ({ value, isPending: true }));
		ask(leaving.signal).then(
			(value) => settle({ value }),
			(failure) => settle({ failure }),
		);
		return () => leaving.abort();
	}, [...inputs, turn]);
	return { ...answer, again: () => setTurn((count) => count + 1) };
}
