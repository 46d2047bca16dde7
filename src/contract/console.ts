// What the console sends to the private endpoints under /console, and gets from them. They may change with the console,
// and are not part of the interface.

import type { Pet, PetStatus } from "./pet.ts";
import type { Fault } from "./validate.ts";

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
	/** It stays the same when the key's secret is replaced. */
	id: string;
	name: string;
	scopes: readonly string[];
	/** When it stops working, in milliseconds since 1970; absent if never. */
	expiresAtMs?: number | undefined;
}

/**
 * The result of a row of `POST /console/imports`, whose body has `rows`: new animals, each with a `key` under which the
 * store adds it once within 24 hours, whoever sends it. Times are in milliseconds since 1970.
 */
export type ImportResult =
	| { outcome: "added"; id: number | bigint }
	| { outcome: "present"; id: number | bigint; atMs: number }
	/** `different`: the animal was added with other fields. `removed`: it was removed since. */
	| { outcome: "different" | "removed"; id: number | bigint; atMs: number }
	| { outcome: "invalid"; faults: Fault[] };

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

/** Where numbers have decimal commas, Excel opens CSV in columns only if semicolons separate them. */
export const exportFormats = ["csv", "ndjson", "json", "csv-semicolon", "xlsx"] as const;
export type ExportFormat = (typeof exportFormats)[number];

/** Below the heading, a sheet of Excel has no more rows. */
export const workbookMaxPets = 1_048_575;
export const tooManyPets = `a workbook holds ${workbookMaxPets} animals, and there are more: choose another format`;

/** Beside it, the filters of the interface: as in a query, their integers may be texts. */
export interface ExportOrder {
	format: ExportFormat;
	/** Only animals with this text in their names; compared as in a search. */
	name?: string | undefined;
	/** Exactly these animals, whatever their status and name; those that were removed are left out. */
	ids?: (number | bigint)[];
}

export const editActions = ["set-status", "rename", "remove"] as const;
/** The most edits of one request: with the longest names, they fit into its body. */
export const editsMax = 50;

/** The reply to a request has one for each edit, in their order, and fewer if writes failed meanwhile. */
export interface EditResult {
	/**
	 * `unchanged`: the animal is already so, and nothing was recorded. `conflict`: it is not as it was seen, and nothing
	 * was changed. `removed`: an earlier edit removed the animal. `absent`: no edit knows the animal.
	 */
	outcome: "edited" | "unchanged" | "conflict" | "removed" | "absent";
	/** The animal after the edit, if there is one. */
	pet?: Pet;
	/** With `conflict` and `removed`: who edited the animal last; absent if nobody did. */
	by?: string;
}

/** An edit in the history of an animal. It has no names, because they may have to be removed. */
export interface PastEdit {
	/** 1, 2, 3 … in commit order. */
	id: bigint;
	/** Milliseconds since 1970. */
	atMs: number;
	/** Who did it. */
	editor: string;
	action: (typeof editActions)[number];
	/** The status before a change of status and before a removal; absent if there was none. */
	fromStatus?: PetStatus | undefined;
	/** The status after a change of status; absent if there is none. */
	toStatus?: PetStatus | undefined;
	/** When the name that it replaced was erased from the files of the store; absent until then. */
	erasedAtMs?: number | undefined;
}

/** Such as `today at 14:05`, in local time. Imports are remembered for a day. */
export function describeTime(atMs: number, nowMs: number): string {
	const [at, now] = [new Date(atMs), new Date(nowMs)];
	const day = at.toDateString() === now.toDateString() ? "today" : "yesterday";
	return `${day} at ${at.getHours()}:${String(at.getMinutes()).padStart(2, "0")}`;
}
