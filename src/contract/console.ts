// Requests and replies of the console's private endpoints: no part of the interface, they change with the console.

import type { Pet, PetStatus } from "./pet.ts";
import type { Fault } from "./validate.ts";

/** The reply of `/console/activity`. */
export interface Activity {
	/**
	 * The minutes of this node since its start, oldest first, at most three hours. The last minute is not over. Absent if
	 * the key lacks `metrics:read`.
	 */
	minutes?: Minute[];
	animals: Totals;
	/** The number of edits when `animals` was counted. */
	edits: number;
}

/** The replies to operations in one minute. */
export interface Minute {
	replies: number;
	/** Absent if there were no replies. */
	p95Ms?: number;
}

/** Numbers of animals by status. `none`: those without one. */
export type Totals = Record<PetStatus | "none", number>;

/** The reply of `/console/key`: the key of the request. */
export interface KeyInfo {
	/** The id stays the same when the key's secret is replaced. */
	id: string;
	name: string;
	scopes: readonly string[];
	/** When the secret stops working, in milliseconds since 1970; absent if never. */
	expiresAtMs?: number | undefined;
}

/**
 * The result of one of the `rows` of `POST /console/imports`. A row is a new animal with a `key`: within 24 hours, the
 * store adds one animal per key, whoever sends it. It may have hashes of what its file has, for `ImportedRows`.
 */
export type ImportResult =
	| { outcome: "added"; id: number | bigint }
	| EarlierResult
	| { outcome: "invalid"; faults: Fault[] };

export interface EarlierResult {
	/** `different`: the animal was added with other values. `removed`: it has been removed since. */
	outcome: "present" | "different" | "removed";
	id: number | bigint;
	/** When it was added, in milliseconds since 1970. */
	atMs: number;
	/** The name of the API key that added it. */
	by?: string;
}

/**
 * The reply of `GET /console/imports/rows`: rows that were imported in the last 24 hours, the newest first. Its query
 * may have `of`, the digest of the only file, or `without`, the digest of a file that is left out, and `before`.
 */
export interface ImportedRows {
	rows: ImportedRow[];
	imports: Import[];
	/** The `before` of the next request; absent at the end. */
	next?: string;
}

export interface ImportedRow {
	/** The index of its import in `imports`. */
	import: number;
	/** A hash of its cells. */
	content: string;
	/** A hash of its id in its list, if it has one. */
	listId?: string;
	/** The id of its animal, which has not been removed. */
	id: number | bigint;
	/** The rest of its key: its number in the file, and `-2` if the file was added a second time. */
	number: string;
}

export interface Import {
	/** The name of its file. */
	file: string;
	/** The start of the keys of its rows: the first digits of a digest of the file's content. */
	digest: string;
	/** The name of the API key. */
	by: string;
	/** When one of its rows was added, in milliseconds since 1970. */
	atMs: number;
}

/** The most rows in the reply. */
export const importedRowsMax = 1000;
/** The digits in keys of the SHA-256 of a file. */
export const digestDigits = 16;

/** The most rows in one request. */
export const importRowsMax = 1000;

/** Whether a reply with this status rules out that rows were added. A proxy's own page can have status 200. */
export const isRefusal = (status: number) => status >= 300 && status < 500;

/** A category that has a name or animals. */
export interface Category {
	id: bigint;
	/** If it is absent, the category is shown as its number. */
	name?: string;
	animals: number;
}

/** The most categories in a reply: those with names first, then those with the most animals. */
export const categoriesMax = 1000;

/** The reply of `GET /console/categories`, ordered by id. */
export interface CategoriesReply {
	categories: Category[];
}

/**
 * A change in the list `categories` of `POST /console/categories`. Without `id`, the next free number gets the name,
 * unless a category already has it. Without `name`, the category loses its name.
 */
export type CategoryChange = { id: number | bigint; name?: string } | { id?: undefined; name: string };

/** The most changes in one request. */
export const categoryChangesMax = 100;
/** The most names of a store. */
export const categoryNamesMax = 10_000;

/** The reply's list `results` has a result for each change, in the same order. */
export interface CategoryResult {
	/**
	 * `named`: the category got the name. `unchanged`: it already had the name. `forgotten`: its name was removed.
	 * `taken`: nothing was changed, because another category, `id`, has the name.
	 */
	outcome: "named" | "unchanged" | "forgotten" | "taken";
	id: bigint;
	/** The category's name after the change, if it has one. */
	name?: string;
}

/** `-` means descending. Names are compared by `foldedText`. */
export const sorts = ["id", "-id", "name", "-name"] as const;
export type Sort = (typeof sorts)[number];

/** How many animals one reply of `GET /console/find` has at most, without a `limit`. */
export const findLimitDefault = 50;

/**
 * The reply of `GET /console/find`. Its query has any of `name` (part of the name of an animal or of its category; an
 * integer also finds an id or a category), `status`, `without=status`, `category` (an id), `sort` (by default `id`) and
 * `after`.
 */
export interface FindReply {
	pets: Pet[];
	/** The `after` of the next request, whose other parameters must stay the same; absent at the end. */
	next?: string;
	/** How many animals match; absent in a reply to a request with `after`, except with `category` and without `name`. */
	total?: number;
	/** There are more than the total: so many are not counted. */
	isMore?: boolean;
	/** With `category` and without `name`: the animals of the category by status. */
	totals?: Totals;
}

/** Where numbers have decimal commas, Excel splits CSV into columns only at semicolons. */
export const exportFormats = ["csv", "ndjson", "json", "csv-semicolon", "xlsx"] as const;
export type ExportFormat = (typeof exportFormats)[number];

/** The rows of an Excel sheet below its heading. */
export const workbookMaxPets = 1_048_575;
export const tooManyPets = `a workbook holds at most ${workbookMaxPets} animals: choose another format`;

/** An order also has a field for each filter of the interface. As in a query, integers may be strings. */
export interface ExportOrder {
	format: ExportFormat;
	/** `name`, `category`, `without` and `sort` are those of `GET /console/find`. */
	name?: string | undefined;
	without?: "status" | undefined;
	category?: number | bigint | string | undefined;
	sort?: Sort | undefined;
	/** Exports exactly these animals, except removed ones, and ignores the filters. */
	ids?: (number | bigint)[];
}

export const editActions = ["set-status", "set-category", "rename", "remove"] as const;

/** The most edits in one request: even with the longest names, they fit into its body. */
export const editsMax = 50;

/** The reply has a result for each edit, in the same order, or fewer results if a write failed. */
export interface EditResult {
	/**
	 * `unchanged`: the animal already had the new value, and nothing was recorded. `conflict`: the animal is not as the
	 * editor saw it, and nothing was changed. `removed`: an earlier edit removed the animal. `absent`: it never existed.
	 */
	outcome: "edited" | "unchanged" | "conflict" | "removed" | "absent";
	/** The animal after the edit, if it exists. */
	pet?: Pet;
	/** After `conflict` or `removed`: who edited the animal last; absent if nobody did. */
	by?: string;
}

/** An edit in the history of an animal. It has no names, so that no removed name is kept. */
export interface PastEdit {
	/** 1, 2, 3 … in commit order. */
	id: bigint;
	/** Milliseconds since 1970. */
	atMs: number;
	editor: string;
	action: (typeof editActions)[number];
	/** The status before a change of status and before a removal; absent if there was none. */
	fromStatus?: PetStatus | undefined;
	/** The status after a change of status; absent if there is none. */
	toStatus?: PetStatus | undefined;
	/** The category before and after a change of category. */
	fromCategoryId?: bigint | undefined;
	toCategoryId?: bigint | undefined;
}

/** An edit in the list of all edits, with its animal. */
export interface Change extends PastEdit {
	petId: bigint;
	/** The animal as it is now; absent if it was removed. */
	pet?: Pet | undefined;
}

/**
 * The reply of `GET /console/changes`: the edits of all animals, newest first. Its query may have `editor`, `limit` and
 * `before`. With an editor it may have fewer edits than the limit, or none, although more follow.
 */
export interface Changes {
	edits: Change[];
	/** The `before` of the next request; absent at the end. */
	next?: bigint | undefined;
}

/** Such as `today at 14:05`, in local time. A day before today is `yesterday`, as imports are remembered for a day. */
export function describeTime(atMs: number, nowMs: number): string {
	const [at, now] = [new Date(atMs), new Date(nowMs)];
	const day = at.toDateString() === now.toDateString() ? "today" : "yesterday";
	return `${day} at ${at.getHours()}:${String(at.getMinutes()).padStart(2, "0")}`;
}
