// What /console/activity answers, for the service that counts and the console that plots.

import type { PetStatus } from "./pet.ts";

/** Counters since the start of one node, and how many animals there are of each status. */
export interface Activity {
	/** Tells this node from others, and from itself before a restart. */
	node: string;
	uptimeMs: number;
	/** Replies by class of status. */
	requests: Record<"2xx" | "3xx" | "4xx" | "5xx", number>;
	/** Replies by how long they took: `counts` has one more than `upToMs`, for those that took longer. */
	latency: { upToMs: number[]; counts: number[] };
	/** Animals added by this node, and the batches that held them. */
	creates: { animals: number; batches: number };
	/** Of the whole store. Until `isComplete`, those counted so far. */
	animals: Record<PetStatus | "none", number> & { isComplete: boolean };
}
