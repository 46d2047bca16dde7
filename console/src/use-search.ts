// A search by name as state of a component: it runs while the name is in the URL, until it ends or is stopped.

import { useEffect, useRef, useState } from "preact/hooks";
import type { Filter } from "../../client/src/contract.ts";
import { describeFilter, filterTexts } from "./route.ts";
import { noSearch, type SearchState, searchNames } from "./search.ts";
import type { Session } from "./session.ts";

export interface RunningSearch {
	/** Undefined without a search. */
	state: SearchState | undefined;
	/** Keeps what was found. */
	stop(): void;
	/** From where it ended. */
	goOn(): void;
	restart(): void;
}

export function useSearch(
	session: Session,
	{ name, ...filter }: Filter & { name?: string | undefined },
): RunningSearch {
	const [last, setLast] = useState<{ of: string; state: SearchState }>();
	const running = useRef(new AbortController());
	const of = `${name} ${describeFilter(filter)}`;
	// Until the next effect, the state is that of the search before.
	const state = name === undefined ? undefined : last?.of === of ? last.state : noSearch;

	function run(from: SearchState): void {
		running.current.abort();
		if (name === undefined) return;
		const controller = new AbortController();
		running.current = controller;
		setLast({ of, state: { ...from, end: "running" } });
		void searchNames(session.ask, { ...filterTexts(filter), name }, from, controller.signal, (next) => {
			if (running.current === controller) setLast({ of, state: next });
		});
	}

	useEffect(() => {
		run(noSearch);
		return () => {
			running.current.abort();
			running.current = new AbortController();
		};
	}, [session, of]);
	return {
		state,
		stop: () => running.current.abort(),
		goOn: () => state && run(state),
		restart: () => run(noSearch),
	};
}
