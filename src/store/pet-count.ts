// Converts the counts by status that both engines read.

import type { PetStatus } from "../contract/pet.ts";
import type { PetCount, Shown } from "./store.ts";

/** `lastId` is at least that of the last animal with this status, and at most that of the last one counted. */
export type StatusGroup = [status: PetStatus | null, count: bigint, lastId: bigint];

/** @param groups one for each status among the counted animals */
export function toPetCount(groups: StatusGroup[], { lastEdit, history }: Shown): PetCount {
	const counts = Object.fromEntries(groups.map(([status, count]) => [status ?? "none", Number(count)]));
	const [lastId] = groups.map(([, , id]) => id).sort((one, other) => Number(other - one));
	return { counts, ...(lastId !== undefined && { lastId }), lastEdit, history };
}
