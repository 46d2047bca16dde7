// What every engine promises (the interface Store), and the errors that it throws.

import {
	type Category,
	type CategoryChange,
	type CategoryResult,
	categoryNamesMax,
	type EditResult,
	type Sort,
	type Totals,
} from "../contract/console.ts";
import { categoryFilters, type Filter, filters, givenFilters, type SearchFilter } from "../contract/filters.ts";
import type { NewPet, Pet, PetStatus } from "../contract/pet.ts";
import type {
	CategoryRecord,
	EditRecord,
	IdempotencyKey,
	KeyRecord,
	KeyUse,
	NewKey,
	NewSecret,
	Secret,
} from "./tables.ts";

export type { EditResult } from "../contract/console.ts";
export { type Background, type BackgroundTask, backgroundTasks } from "./background.ts";
export type { EditRecord, IdempotencyKey, KeyRecord, KeyUse, NewKey, NewSecret, Secret } from "./tables.ts";

/**
 * Every result includes every commit, of any process, that was acknowledged before the call. The reads of one tick of
 * the event loop begin at the end of the tick, and share a snapshot or statements. A server that was promoted,
 * restarted or restored has a new timeline: animals or edits may have been lost, and new ones then get their ids.
 */
export interface Store {
	/** At most `limit` animals, by ascending id: the first with ids above `after`, or the last with ids up to `upTo`. */
	listPets(query: PageQuery): Promise<PetPage>;

	getPet(id: bigint): Promise<FoundPet>;

	/** The version that a read would see now. Rejects if reads do not work. */
	version(): Promise<StoreVersion>;

	/**
	 * Stores an animal. Resolves when its commit is on disk. Ids begin at 1, ascend in commit order and are never used
	 * twice. Repeated creates with the same Idempotency-Key and caller return the same animal for `idempotencyHours`,
	 * even if they are concurrent or the animal has been edited since. Key and animal are stored in one transaction.
	 * @throws StoreBusy, StorageUnavailable
	 */
	createPet(pet: NewPet, idempotencyKey?: IdempotencyKey): Promise<CreateResult>;

	/**
	 * Stores the rows of an import in one transaction, each as `createPet` does. New ids ascend without gaps.
	 * @throws StoreBusy, StorageUnavailable; then no animal was acknowledged
	 */
	createPets(rows: readonly KeyedPet[]): Promise<ImportedPet[]>;

	/** The caller's creates with Idempotency-Keys in the last `idempotencyHours`, the largest id first. */
	listKeys(caller: string, query: KeysQuery): Promise<KeyedCreate[]>;

	/**
	 * Removes Idempotency-Keys that are older than `idempotencyHours`, the oldest first.
	 * @returns their number, at most `rows` @throws StorageUnavailable
	 */
	sweepIdempotencyKeys(rows: number): Promise<number>;

	/** 32 random bytes that sign the cursors. They are created with the store, and are the same on all nodes. */
	readonly cursorSecret: Buffer;

	readonly keys: KeyRows;
	readonly edits: Edits;
	readonly categories: Categories;

	/**
	 * Searches all animals, without delaying other reads. An aborted `signal` drops a search that has not begun, and ends
	 * a running one. In SQLite, only a search for a text or in the order of names can end early; the others are short.
	 * @throws StorageUnavailable, and the signal's reason
	 */
	findPets(query: FindQuery, signal?: AbortSignal): Promise<FoundPets>;

	/** The number of animals by status. Reading it takes the same time in a store of any size. */
	countPets(): Promise<PetCount>;

	readonly queue: WriteQueue;

	/** The state of writes, as of the latest write. If that write was long ago, the call also starts `checkWrites`. */
	writeState(): WriteState;

	/** Resolves once the outcome of a recent write is known. If no write was recent, does a small one. Never rejects. */
	checkWrites(): Promise<void>;

	/** Never throws. */
	readUse(): Promise<StoreUse>;

	/** Commits all accepted writes, then closes files and connections. */
	close(): Promise<void>;
}

export interface WriteQueue {
	/** The number of rows that are not on disk yet. The write of an import has many rows. */
	readonly length: number;
	/** How long the oldest write has waited; 0 if none waits. */
	readonly oldestMs: number;
	/** How long until a write added now would be committed, judging by the latest commits. */
	readonly expectedMs: number;
	/** True if a create added now would wait too long, or if too many writes wait. */
	readonly isFull: boolean;
}

/** `slow`: new creates are refused. `failing`: the latest write failed. `stopped`: all writes fail until a restart. */
export type WriteState = "working" | "slow" | "failing" | "stopped";

/** Where a page is: the first animals with ids above `after`, or the last ones with ids up to and including `upTo`. */
export type PagePosition = { after: bigint; upTo?: never } | { upTo: bigint; after?: never };

/** A page up to this id contains the newest animals. */
export const endOfList = 2n ** 63n - 1n;

export type PageQuery = PagePosition & Filter & { limit: number };

export interface FoundPet {
	/** The JSON of the animal; undefined if there is none. */
	json: string | undefined;
	version: StoreVersion;
}

export interface PetPage {
	/** The animals as a JSON array. */
	json: string;
	/** The ids of the page's first and last animal; absent if the page is empty. */
	ids?: { first: bigint; last: bigint };
	/** Whether more animals follow the page (or, if the query has `upTo`, precede the page). */
	hasMore: boolean;
	version: StoreVersion;
}

/** At the same version, reads have the same results. New animals get larger ids and change only `lastId`. */
export interface StoreVersion {
	/** Changes after a failover, restart or restore, because animals and edits may have been lost. */
	timeline: string;
	/** The last edit's id, 0 before the first edit. */
	lastEdit: bigint;
	/** The last assigned id of an animal, even of a removed one; 0 before the first. */
	lastId: bigint;
}

export interface PetCount {
	counts: Totals;
	/** The version at which the animals were counted. */
	version: StoreVersion;
}

export interface Commit {
	/** The number of rows. */
	writes: number;
	/** The time from the start of the transaction until it was on disk. */
	ms: number;
	/** How much of `ms` was spent waiting for the disk, if known. */
	syncMs?: number | undefined;
	isStored: boolean;
}

/** Resources in use. A part is absent if the engine does not have it, or if it cannot be read. */
export interface StoreUse {
	files?: { databaseBytes: number; walBytes: number; diskFreeBytes: number; diskBytes: number };
	/** `waiting`: queries that wait for a connection. */
	pool?: { inUse: number; idle: number; waiting: number };
}

/** `replayed`: an earlier equal request with this key added the animal. `reused`: the earlier request was different. */
interface CreateResult {
	id: bigint;
	outcome: "created" | "replayed" | "reused";
}

export interface KeyedPet {
	pet: NewPet;
	idempotencyKey: IdempotencyKey;
	/** Stored with the key; see `IdempotencyKeyRecord`. */
	origin?: string;
}

export interface ImportedPet extends CreateResult {
	/** The earlier request with this key. */
	earlier?: EarlierCreate;
}

interface KeysQuery {
	/** Only animals with smaller ids. */
	before: bigint;
	limit: number;
	/** Only keys that begin with this text; if `isOther`, only keys that do not. */
	start: string;
	isOther: boolean;
}

/** An earlier create with its Idempotency-Key. */
export type KeyedCreate = EarlierCreate & { key: string; id: bigint };

export interface EarlierCreate {
	/** Milliseconds since 1970. */
	atMs: number;
	isRemoved: boolean;
	origin?: string | undefined;
}

/** Changes and removals of animals by operators. The public interface offers neither. */
export interface Edits {
	/**
	 * Edits an animal and records the edit, in one transaction. Every read that begins later, on any node, sees the edit.
	 * Copies of a replaced name may stay in unused space until `eraseNames` runs (cli/maintenance).
	 */
	apply(edit: NewEdit): Promise<EditResult>;
	/** The next `limit` edits with ids above `after`, oldest first. */
	list(after: bigint, limit: number): Promise<EditRecord[]>;
	/**
	 * The last edits, newest first. `before`: only edits with smaller ids. With `editor`, a call searches only 10,000
	 * edits, so it may return fewer than `limit` edits, or none. If `next` is present, more may follow.
	 */
	latest(query: LatestQuery): Promise<{ edits: EditRecord[]; next?: bigint | undefined }>;
	/** The last `limit` edits of an animal, newest first. */
	ofPet(petId: bigint, limit: number): Promise<EditRecord[]>;
}

export interface LatestQuery {
	editor?: string | undefined;
	before?: bigint | undefined;
	limit: number;
}

/** An animal as an editor saw it. Older consoles do not send the category. */
type SeenPet = Pick<Pet, "name" | "status"> & Partial<Pick<Pet, "categoryId">>;

/** An undefined `status` removes the status. With `seen`, the animal is edited only if it still has these values. */
export type NewEdit = { petId: bigint; editor: string; seen?: SeenPet | undefined } & (
	| { action: "set-status"; status: PetStatus | undefined }
	| { action: "set-category"; categoryId: bigint }
	| { action: "rename"; name: string }
	| { action: "remove" }
);

export interface Categories {
	/** The categories with names, by id. */
	names(): Promise<CategoryName[]>;
	/** At most `limit` categories, sorted by id. Named categories are chosen first, then those with the most animals. */
	list(limit: number): Promise<Category[]>;
	/**
	 * Applies the changes in their order, in one transaction. Names are compared by `comparedName`.
	 * @throws CategoriesFull; then nothing was changed
	 */
	apply(changes: readonly CategoryChange[]): Promise<CategoryResult[]>;
}

export type CategoryName = Pick<CategoryRecord, "id" | "name">;

/** A search for the animals that match every given filter. */
export interface FindQuery extends SearchFilter {
	sort?: Sort | undefined;
	/** Only animals after this position. */
	after?: FindPosition | undefined;
	limit: number;
	/** Also counts all matching animals. */
	isCounted?: boolean;
}

/** Whether a page of the search is read from an index. Such a page takes as little time as a page of the list. */
export const isIndexed = ({ sort = "id", ...query }: FindQuery) =>
	givenFilters(query).every(([name]) => name in filters) && !sort.endsWith("name");

/** Whether the reply of a search has the totals of a category. */
export const hasTotals = (query: FindQuery) => Object.keys(categoryFilters(query) ?? {}).length > 0;

/** A position in the order of a search. It stays valid after its animal is edited or removed. */
export interface FindPosition {
	id: bigint;
	/** Present if the order is by name. */
	name?: string;
}

export interface FoundPets {
	pets: string[];
	/** The position of the last animal, if more follow. */
	next?: FindPosition;
	total?: number;
	/** True if more animals match than `total` says, because counting stopped there. */
	isMore?: boolean;
	/** The number of the category's animals by status. Present with a total, if the query has a category and no text. */
	totals?: Totals;
}

/** The stored API keys. Times are milliseconds since 1970. */
export interface KeyRows {
	/** The timeline of the latest read. Keys that were read on another timeline may be lost. */
	readonly timeline: string;
	/** The secret with this SHA-256 (hex) and the key it belongs to, even if revoked or expired. */
	findByHash(hash: string): Promise<KeyRow | undefined>;
	/** One row per key, with its newest secret, oldest key first. */
	list(): Promise<ListedKey[]>;
	/**
	 * Stores a new key with its first secret in one transaction. With `unless`, stores nothing if the store has any key,
	 * or the same secret: if several nodes try at once, one succeeds. @returns whether the key was stored
	 */
	add(key: NewKey, secret: NewSecret, unless?: AddUnless): Promise<boolean>;
	/** Adds a secret to the key, in one transaction. Older secrets expire at `graceEndsAtMs` or earlier. */
	rotate(keyId: string, secret: NewSecret, graceEndsAtMs: number): Promise<void>;
	/** Invalidates all secrets of the key. */
	revoke(keyId: string, nowMs: number): Promise<void>;
	/** Updates the last-used times of these keys; an older time is ignored. */
	touch(uses: KeyUse[]): Promise<void>;
}

export type AddUnless = "any key" | "same secret";

/** A key with one of its secrets. */
export interface KeyRow extends KeyRecord {
	secret: Secret;
	/** The timeline that the row belongs to, set by `findByHash`. */
	timeline?: string;
}

export interface ListedKey extends KeyRow {
	/** When each operation was last called with this key. */
	usedAtMs: Readonly<Record<string, number>>;
}

/** A failure that may be temporary: a full disk, a lost server. Callers get 503. */
export class StorageUnavailable extends Error {
	override readonly name = "StorageUnavailable";
}

/** Too many writes are waiting. This write was not stored, and never will be. */
export class StoreBusy extends Error {
	/** How many milliseconds the store needs to catch up. */
	readonly retryAfterMs: number;
	constructor(retryAfterMs: number) {
		super("the store is busy: the write was not stored");
		this.retryAfterMs = retryAfterMs;
	}
}

export class CategoriesFull extends Error {
	constructor() {
		super(`a store has at most ${categoryNamesMax.toLocaleString("en")} names of categories: remove some first`);
	}
}

/** A newer version has upgraded the store since it was opened. This node may read it, but not write to it. */
export class StoreUpgraded extends StorageUnavailable {
	constructor() {
		super("a newer animal-store has upgraded the store: writes are rejected until this node is upgraded");
	}
}

/** The store cannot be opened. The message is one sentence with the fix; nothing was changed. */
export class StoreRefused extends Error {
	override readonly name = "StoreRefused";
}
