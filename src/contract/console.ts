// Requests and replies of the console's private endpoints, under /console. They may change with the console, and are
// not part of the interface.

import type { Pet, PetStatus } from "./pet.ts";
import type { Fault } from "./validate.ts";

/** The reply of `/console/activity`. */
export interface Activity {
	/** The minutes of this node since its start, oldest first, at most three hours. The last one is not over. */
	minutes: Minute[];
	animals: Totals;
	/** The number of edits when `animals` was counted. */
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

/** A category that has a name or animals. */
export interface Category {
	id: bigint;
	/** Absent if it has none: it is shown as its number. */
	name?: string;
	animals: number;
}

/** The most categories of a reply: those with names, then those with the most animals. */
export const categoriesMax = 1000;

/** The reply of `GET /console/categories`: by id. */
export interface CategoriesReply {
	categories: Category[];
}

/**
 * A change in the list `categories` of `POST /console/categories`. Without `id`, the name gets the next free number,
 * unless a category has it already. Without `name`, the category loses its name.
 */
export type CategoryChange = { id: number | bigint; name?: string } | { id?: undefined; name: string };

/** The most changes of one request. */
export const categoryChangesMax = 100;

/** The reply has one for each change, in their order, as `results`. */
export interface CategoryResult {
	/**
	 * `named`: it has this name now. `unchanged`: it had it already. `forgotten`: it has no name now. `taken`: nothing
	 * was changed, because another category, `id`, has the name.
	 */
	outcome: "named" | "unchanged" | "forgotten" | "taken";
	id: bigint;
	/** Its name after the change, if it has one. */
	name?: string;
}

/** `-` is descending. By name: as people compare names, without case and accents. */
export const sorts = ["id", "-id", "name", "-name"] as const;
export type Sort = (typeof sorts)[number];

/** The animals of one reply of `GET /console/find`. */
export const findPageMax = 50;

/**
 * The reply of `GET /console/find`, whose query has any of `name` (a text in the names; a whole number finds the id and
 * the category, too), `status`, `category` (an id), `sort` (`id` if absent), and `after`.
 */
export interface FindReply {
	pets: Pet[];
	/** `after` of the next request; absent at the end. Holds as long as the other parameters stay the same. */
	next?: string;
	/** How many there are in all; only in a reply to a request without `after`. */
	total?: number;
	/** The total is an estimate, because the store is large. */
	isAbout?: boolean;
}

const marks = /\p{M}/gu;

/**
 * The text for comparisons, without case, accents and the different forms of them in Unicode. It depends on each
 * character alone, so that databases can do the same: a σ at the end of a word is like any other.
 */
export function foldedText(text: string): string {
	return text.normalize("NFKD").replace(marks, "").toLowerCase().replaceAll("ß", "ss").replaceAll("ς", "σ");
}

/** Where numbers have decimal commas, Excel opens CSV in columns only if semicolons separate them. */
export const exportFormats = ["csv", "ndjson", "json", "csv-semicolon", "xlsx"] as const;
export type ExportFormat = (typeof exportFormats)[number];

/** Below the heading, a sheet of Excel has no more rows. */
export const workbookMaxPets = 1_048_575;
export const tooManyPets = `a workbook holds ${workbookMaxPets} animals, and there are more: choose another format`;

/** The filters of the interface are fields, too. As in a query, their integers may be texts. */
export interface ExportOrder {
	format: ExportFormat;
	/** As in `GET /console/find`, as are `category` and `sort`. */
	name?: string | undefined;
	category?: number | bigint | string | undefined;
	sort?: Sort | undefined;
	/** Exactly these animals, without those that were removed. The other filters are ignored. */
	ids?: (number | bigint)[];
}

export const editActions = ["set-status", "set-category", "rename", "remove"] as const;
/** Whether an edit replaces a name, which has to be erased then. */
export function replacesName(action: PastEdit["action"]): boolean {
	return action === "rename" || action === "remove";
}

/** The most edits of one request: with the longest names, they fit into its body. */
export const editsMax = 50;

/** The reply to a request has one for each edit, in their order, and fewer if writes failed meanwhile. */
export interface EditResult {
	/**
	 * `unchanged`: the animal was so already, and nothing was recorded. `conflict`: it differs from what the editor saw,
	 * and nothing was changed. `removed`: an earlier edit removed the animal. `absent`: no edit knows the animal.
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
	/** The category before and after a change of category. */
	fromCategoryId?: bigint | undefined;
	toCategoryId?: bigint | undefined;
	/** When the name that it replaced was erased from the files of the store; absent until then. */
	erasedAtMs?: number | undefined;
}

/** One of the latest edits, in the reply of `/console/history` without an id. */
export interface LatestEdit extends PastEdit {
	petId: bigint;
	/** The present name of the animal; absent if it was removed. */
	name?: string | undefined;
}

/** Such as `today at 14:05`, in local time. Imports are remembered for a day. */
export function describeTime(atMs: number, nowMs: number): string {
	const [at, now] = [new Date(atMs), new Date(nowMs)];
	const day = at.toDateString() === now.toDateString() ? "today" : "yesterday";
	return `${day} at ${at.getHours()}:${String(at.getMinutes()).padStart(2, "0")}`;
}
