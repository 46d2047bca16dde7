// The animals that are selected in the list: one by one with click, Shift or X, or all animals of a filter. An animal
// that leaves the list is no longer selected, unless all animals of the filter were selected.

import { useEffect, useRef, useState } from "preact/hooks";
import type { Pet } from "../../../src/contract/pet.ts";

export interface Selection {
	/** The selected animals; those that the page shows come first. */
	pets: Pet[];
	/** Whether the checkboxes are shown even without the pointer over them. */
	isShown: boolean;
	/** Whether all animals of the filter were selected. */
	isBeyond: boolean;
	/** Whether all animals of the filter are still selected. */
	isWhole: boolean;
	/** Whether all animals of the filter are being read. Until then, an edit would change only those of the page. */
	isReading: boolean;
	show(): void;
	has(id: string): boolean;
	toggle(id: string): void;
	/** Selects all animals from the last selected one to this one. */
	extend(id: string): void;
	/** Selects all animals of the page. */
	all(): void;
	/** Reads and selects all animals of the filter, unless the selection ends meanwhile. @throws ApiError, NoReply */
	addAll(load: () => Promise<Pet[]>): Promise<void>;
	clear(): void;
}

type Edited = (pets: readonly Pet[]) => Pet[];

/**
 * @param page the address of the page: when it changes, the selection is cleared
 * @param edited applies the edits under way
 */
export function useSelection(shown: readonly Pet[], page: string, edited: Edited): Selection {
	const [ids, setIds] = useState<ReadonlySet<string>>(new Set());
	/** The animals of the filter, as they were when all of them were selected. */
	const [matching, setMatching] = useState<readonly Pet[]>([]);
	const [isStarted, setIsStarted] = useState(false);
	const [isReading, setIsReading] = useState(false);
	const last = useRef<string | undefined>(undefined);
	/** The number of selections that have ended. */
	const ended = useRef(0);
	function clear(): void {
		ended.current++;
		setIds(new Set());
		setMatching([]);
		setIsStarted(false);
		setIsReading(false);
	}
	useEffect(() => clear, [page]);
	const order = shown.map(({ id }) => String(id));
	const isSelected = ({ id }: Pet) => ids.has(String(id));
	const elsewhere = matching.filter(({ id }) => !order.includes(String(id)));
	const pets = [...shown, ...edited(elsewhere)].filter(isSelected);
	return {
		pets,
		isBeyond: matching.length > 0,
		isWhole: matching.length > 0 && matching.every(isSelected),
		isReading,
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
		async addAll(load) {
			const before = ended.current;
			setIsReading(true);
			const isCurrent = () => ended.current === before;
			const all = await load().finally(() => isCurrent() && setIsReading(false));
			if (!isCurrent()) return;
			setMatching(all);
			setIds(new Set(all.map(({ id }) => String(id))));
		},
		clear,
	};
}
