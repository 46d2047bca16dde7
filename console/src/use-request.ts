// A request to the service as state of a component. It is sent again when its inputs change or on `reload`, and aborted
// when the component is removed.

import { useEffect, useState } from "preact/hooks";

export interface RequestState<T> {
	/** The latest reply, also while a newer request is pending. */
	value?: T;
	failure?: unknown;
	isPending: boolean;
	reload(): void;
}

export function useRequest<T>(send: (signal: AbortSignal) => Promise<T>, inputs: readonly unknown[]): RequestState<T> {
	const [answer, setAnswer] = useState<Omit<RequestState<T>, "reload">>({ isPending: true });
	const [turn, setTurn] = useState(0);
	useEffect(() => {
		const leaving = new AbortController();
		const settle = (settled: Omit<RequestState<T>, "reload" | "isPending">) => {
			if (!leaving.signal.aborted) setAnswer({ ...settled, isPending: false });
		};
		setAnswer(({ value }) => ({ value, isPending: true }));
		send(leaving.signal).then(
			(value) => settle({ value }),
			(failure) => settle({ failure }),
		);
		return () => leaving.abort();
	}, [...inputs, turn]);
	return { ...answer, reload: () => setTurn((count) => count + 1) };
}
