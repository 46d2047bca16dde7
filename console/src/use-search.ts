// A search by name as state of a component: it runs while the name is in the URL, until it ends or is stopped.

import { useEffect, useRef, useState } from "preact/hooks";
import type { Filter } from "../../client/src/contract.ts";
import { describeFilter, filterOf } from "./route.ts";
import { type SearchState, searchNames } from "./search.ts";
import type { Session } from "./session.ts";

export interface RunningSearch {
	/** Undefined without a search. */
	state: SearchState | undefined;
	stop(): void;
	restart(): void;
}

export function useSearch(
	{ patientStore }: Session,
	{ name, ...filter }: Filter & { name?: string | undefined },
): RunningSearch {
	const [state, setState] = useState<SearchState>();
	const [turn, setTurn] = useState(0);
	const stopping = useRef(new AbortController());
	useEffect(() => {
		setState(undefined);
		if (name === undefined) return;
		const controller = new AbortController();
		let isLeft = false;
		stopping.current = controller;
		setState({ found: [], searched: 0, end: "running" });
		void searchNames(patientStore, { name, filter: filterOf(filter) }, controller.signal, (next) => {
			if (!isLeft) setState(next);
		});
		return () => {
			isLeft = true;
			controller.abort();
		};
	}, [patientStore, name, describeFilter(filter), turn]);
	return { state, stop: () => stopping.current.abort(), restart: () => setTurn((count) => count + 1) };
}
