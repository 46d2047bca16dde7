// What the console asks the service beside the operations: the figures that it plots, and the key in use.

import type { OperationName } from "./operations.ts";
import type { PetStatus } from "./pet.ts";

/** The reply of `/console/activity`. */
export interface Activity {
	/** Identifies this node and this start of it. */
	node: string;
	/** Upper bounds of the durations that `latency` counts, in milliseconds. */
	upToMs: number[];
	now: Moment;
	/** The last hour, oldest first, without `now`. Absent for a caller that has it, and so names this node in `known`. */
	history?: Moment[];
	/** Of the whole store. Before `isComplete`: those counted so far. */
	animals: Record<PetStatus | "none", number> & { isComplete: boolean };
	/** How often operators had edited animals when `animals` was counted. */
	edits: number;
}

/** Counters since the start of the node, as they stood after `uptimeMs`. */
export interface Moment {
	uptimeMs: number;
	/** Replies by operation. `none` are pages, probes and unknown paths. */
	replies: Record<OperationName | "none", ReplyCounts>;
	/** Animals added by this node, and the batches that held them. */
	creates: { animals: number; batches: number };
	/** Animals in the whole store; absent until they were counted. */
	animals?: number;
}

export interface ReplyCounts {
	/** Replies by class of status. */
	requests: Record<"2xx" | "3xx" | "4xx" | "5xx", number>;
	/** Replies by duration. One more than `upToMs`, for replies that took longer. */
	latency: number[];
}

/** The reply of `/console/key`: the key of the request. */
export interface KeyInfo {
	name: string;
	scopes: readonly string[];
	/** When it stops working, in milliseconds since 1970; absent if never. */
	expiresAtMs?: number;
}
