// Converts the counts by status that both engines read.

import type { PetStatus } from "../contract/pet.ts";
import type { PetCount } from "./store.ts";

/** @param groups one for each status among the counted animals */
export function toPetCount(
	groups: [status: PetStatus | null, count: bigint, lastId: bigint][],
	lastEdit: bigint,
): PetCount {
	const counts = Object.fromEntries(groups.map(([status, count]) => [status ?? "none", Number(count)]));
	const [lastId] = groups.map(([, , id]) => id).sort((one, other) => Number(other - one));
	return lastId === undefined ? { counts, lastEdit } : { counts, lastId, lastEdit };
}
