// The animals selected in the list, by click, Shift or X. An animal that leaves the list is no longer selected.

import { useEffect, useRef, useState } from "preact/hooks";
import type { Pet } from "../../../src/contract/pet.ts";

export interface Selection {
	pets: Pet[];
	/** Whether the checkboxes are shown even without the pointer over them. */
	isShown: boolean;
	show(): void;
	has(id: string): boolean;
	toggle(id: string): void;
	/** Selects all animals from the last selected one to this one. */
	extend(id: string): void;
	all(): void;
	/** Selects these animals in addition, although the page does not show them. */
	add(others: readonly Pet[]): void;
	/** Whether animals that the page does not show are selected. */
	isBeyond: boolean;
	clear(): void;
}

/** @param page a change of page clears the selection */
export function useSelection(shown: readonly Pet[], page: string): Selection {
	const [ids, setIds] = useState<ReadonlySet<string>>(new Set());
	const [others, setOthers] = useState<readonly Pet[]>([]);
	const [isStarted, setIsStarted] = useState(false);
	const last = useRef<string | undefined>(undefined);
	function clear(): void {
		setIds(new Set());
		setOthers([]);
		setIsStarted(false);
	}
	useEffect(clear, [page]);
	const order = shown.map(({ id }) => String(id));
	const pets = [...shown.filter(({ id }) => ids.has(String(id))), ...others];
	return {
		pets,
		isBeyond: others.length > 0,
		isShown: isStarted || pets.length > 0,
		show: () => setIsStarted(true),
		has: (id) => ids.has(id),
		toggle(id) {
			last.current = id;
			setIds(new Set(ids.has(id) ? [...ids].filter((other) => other !== id) : [...ids, id]));
		},
		extend(id) {
			const ends = [order.indexOf(last.current ?? id), order.indexOf(id)].filter((at) => at >= 0);
			const range = order.slice(Math.min(...ends), Math.max(...ends) + 1);
			last.current = id;
			setIds((before) => new Set([...before, ...range]));
		},
		all: () => setIds(new Set(order)),
		add: (all) => setOthers(all.filter(({ id }) => !order.includes(String(id)))),
		clear,
	};
}
