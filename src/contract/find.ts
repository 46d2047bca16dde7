// Finding animals by name: the comparison, and the reply of `/console/find`, which is private to the console.

import type { Pet } from "./pet.ts";

/** The most animals of one reply. */
export const foundMax = 200;

/** The next part of a search. The next one continues `after=lastId`, until `isComplete`. */
export interface FindReply {
	pets: Pet[];
	/** The animals that were looked at. */
	searched: number;
	/** The last of them; `after` if there was none. */
	lastId: bigint;
	/** No animal follows. */
	isComplete: boolean;
}

const marks = /\p{M}/gu;

/** The text for comparisons, without case, accents and the different forms of them in Unicode. */
export function foldedText(text: string): string {
	return text.normalize("NFKD").replace(marks, "").toLowerCase().replaceAll("ß", "ss");
}
