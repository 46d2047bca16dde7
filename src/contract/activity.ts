// The reply of /console/activity: the service counts, the console plots.

import type { PetStatus } from "./pet.ts";

/** Counters since the start of one node, and the number of animals of each status. */
export interface Activity {
	/** Identifies this node and this start of it. */
	node: string;
	uptimeMs: number;
	/** Replies by class of status. */
	requests: Record<"2xx" | "3xx" | "4xx" | "5xx", number>;
	/** Replies by duration. `counts` has one more entry than `upToMs`, for replies that took longer. */
	latency: { upToMs: number[]; counts: number[] };
	/** Animals added by this node, and the batches that held them. */
	creates: { animals: number; batches: number };
	/** Of the whole store. Before `isComplete`: those counted so far. */
	animals: Record<PetStatus | "none", number> & { isComplete: boolean };
}
