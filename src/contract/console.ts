// Requests and replies of the console's private endpoints. They change with the console and are not in the interface.

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

/** How many animals have each status. `none`: animals without a status. */
export type Totals = Record<PetStatus | "none", number>;

/** The reply of `/console/key`, about the key of the request. */
export interface KeyInfo {
	/** The id stays the same when the key's secret is replaced. */
	id: string;
	name: string;
	scopes: readonly string[];
	/** When the secret stops working, in milliseconds since 1970; absent if never. */
	expiresAtMs?: number | undefined;
}

/**
 * The result for one row in the list `rows` of `POST /console/imports`. A row is a new animal with a `key`. Within 24
 * hours, only one animal is added per `key`, whoever sends the row. A row may have the two hashes of an `ImportedRow`.
 */
export type ImportResult =
	| { outcome: "added"; id: number | bigint }
	| EarlierResult
	| { outcome: "invalid"; faults: Fault[] };

export interface EarlierResult {
	/** `different`: the animal was added with other values. `removed`: the animal has been removed since. */
	outcome: "present" | "different" | "removed";
	id: number | bigint;
	/** When the animal was added, in milliseconds since 1970. */
	atMs: number;
	/** The name of the API key that added the animal. */
	by?: string;
}

/**
 * The reply of `GET /console/imports/rows`: rows that were imported in the last 24 hours, the newest first. The query
 * may have `before`, and `of` (the digest of the only file to list) or `without` (the digest of a file to leave out).
 */
export interface ImportedRows {
	rows: ImportedRow[];
	imports: Import[];
	/** The `before` of the next request; absent at the end. */
	next?: string;
}

export interface ImportedRow {
	/** The index of the row's import in `imports`. */
	import: number;
	/** A hash of the row's fields and cells. */
	content: string;
	/** A hash of the id that the file gives the row, if any. */
	listId?: string;
	/** The id of the row's animal, which has not been removed. */
	id: number | bigint;
	/** The row's key without the digest: the row's number in the file, then `-2`, `-3` … if the file was added again. */
	number: string;
}

export interface Import {
	/** The file's name. */
	file: string;
	/** The start of the rows' keys: the first digits of the SHA-256 of the file's content. */
	digest: string;
	/** The name of the API key that added the rows. */
	by: string;
	/** When one of the import's rows was added, in milliseconds since 1970. */
	atMs: number;
}

/** The most rows in a reply of `GET /console/imports/rows`. */
export const importedRowsMax = 1000;
/** How many digits of a file's SHA-256 are in the keys of its rows. */
export const digestDigits = 16;

/** The most rows in one `POST /console/imports`. */
export const importRowsMax = 1000;

/** Whether a reply with this status proves that no row was added. 200 does not, because a proxy may have sent it. */
export const isRefusal = (status: number) => status >= 300 && status < 500;

/** A category that has a name or animals. */
export interface Category {
	id: bigint;
	/** If it is absent, the category is shown as its number. */
	name?: string;
	animals: number;
}

/** The most categories in a reply. If there are more, named ones are chosen first, then those with the most animals. */
export const categoriesMax = 1000;

/** The reply of `GET /console/categories`, ordered by id. */
export interface CategoriesReply {
	categories: Category[];
}

/**
 * A change: an element of `categories` in `POST /console/categories`. Without `id`, the next free number gets the name,
 * unless a category already has it. Without `name`, the category loses its name.
 */
export type CategoryChange = { id: number | bigint; name?: string } | { id?: undefined; name: string };

/** The most changes in one request. */
export const categoryChangesMax = 100;
/** The most category names in a store. */
export const categoryNamesMax = 10_000;

/** The reply's list `results` has a result for each change, in the same order. */
export interface CategoryResult {
	/**
	 * `named`: the category got the name. `unchanged`: it already had the name. `forgotten`: its name was removed.
	 * `taken`: nothing was changed, because another category (`id`) has the name.
	 */
	outcome: "named" | "unchanged" | "forgotten" | "taken";
	id: bigint;
	/** The category's name after the change, if it has one. */
	name?: string;
}

/** `-` means descending. Names are compared by `foldedText`. */
export const sorts = ["id", "-id", "name", "-name"] as const;
export type Sort = (typeof sorts)[number];

/** The most animals in a reply of `GET /console/find` if the request has no `limit`. */
export const findLimitDefault = 50;

/**
 * The reply of `GET /console/find`. The query may have `status`, `without=status`, `category` (an id), `sort` (by
 * default `id`), `after`, and `name`: a part of the name of an animal or of its category. An integer as `name` also
 * matches the ids of animals and categories.
 */
export interface FindReply {
	pets: Pet[];
	/** The `after` of the next request, whose other parameters must stay the same; absent at the end. */
	next?: string;
	/** How many animals match. Requests with `after` get no total, unless they have `category` and no `name`. */
	total?: number;
	/** True if the count stopped at `total`, and more animals match. */
	isMore?: boolean;
	/** With `category` and without `name`: the animals of the category by status. */
	totals?: Totals;
}

/** `csv-semicolon` is for countries with decimal commas: there, Excel splits CSV into columns only at semicolons. */
export const exportFormats = ["csv", "ndjson", "json", "csv-semicolon", "xlsx"] as const;
export type ExportFormat = (typeof exportFormats)[number];

/** The most rows that an Excel sheet has below its heading. */
export const workbookMaxPets = 1_048_575;
export const tooManyPets = `a workbook holds at most ${workbookMaxPets} animals: choose another format`;

/** What to export. The filters of listPets may be further fields. As in a query, integers may be strings. */
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

/** The most edits in one request. A request's body has room for so many, even with the longest names. */
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

/** An edit in the history of an animal. It contains no name of the animal, so that no removed name is kept. */
export interface PastEdit {
	/** 1, 2, 3 … in commit order. */
	id: bigint;
	/** Milliseconds since 1970. */
	atMs: number;
	editor: string;
	action: (typeof editActions)[number];
	/** The status before a change of status or before a removal; absent if there was none. */
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
 * The reply of `GET /console/changes`: the edits of all animals, newest first. The query may have `editor`, `limit` and
 * `before`. With `editor`, the reply may have fewer edits than the limit, or none, although more follow.
 */
export interface Changes {
	edits: Change[];
	/** The `before` of the next request; absent at the end. */
	next?: bigint | undefined;
}

/** A time as `today at 14:05`, in local time. Any other day is `yesterday`, because imports are kept for only a day. */
export function describeTime(atMs: number, nowMs: number): string {
	const [at, now] = [new Date(atMs), new Date(nowMs)];
	const day = at.toDateString() === now.toDateString() ? "today" : "yesterday";
	return `${day} at ${at.getHours()}:${String(at.getMinutes()).padStart(2, "0")}`;
}
