// The replies that only the console asks for: the figures of the service, and the key in use.

import type { PetStatus } from "./pet.ts";

/** The reply of `/console/activity`. */
export interface Activity {
	/** The minutes of this node since its start, oldest first, at most three hours. The last one is not over. */
	minutes: Minute[];
	animals: Totals;
	/** How often operators had edited animals when `animals` was counted. */
	edits: number;
}

/** Replies to operations. */
export interface Minute {
	replies: number;
	/** Interpolated within a bucket of durations; absent without replies. */
	p95Ms?: number;
}

/** Animals of the whole store by status. Before `isComplete`: those counted so far. */
export type Totals = Record<PetStatus | "none", number> & { isComplete: boolean };

/** The reply of `/console/key`: the key of the request. */
export interface KeyInfo {
	/** Idempotency-Keys are scoped to it. It stays the same when the key's secret is replaced. */
	id: string;
	name: string;
	scopes: readonly string[];
	/** When it stops working, in milliseconds since 1970; absent if never. */
	expiresAtMs?: number;
	/** How long after it was sent a create may still be stored, in milliseconds. */
	createSettlesMs: number;
}
