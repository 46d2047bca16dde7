// The Store: what every engine promises about the animals it keeps, and the two ways in which it refuses.

import type { NewPet, Pet, PetStatus } from "../contract/pet.ts";
import type { IdempotencyKey, KeyRecord, KeyUse, NewKey, NewSecret, Secret } from "./records.ts";
import type { Rows } from "./rows.ts";

export type { IdempotencyKey, KeyRecord, KeyUse, NewKey, NewSecret, Secret } from "./records.ts";

export interface Store {
	/**
	 * The animals after `after` by ascending id, at most `limit` of them. A page that says `hasMore` never changes again:
	 * animals are neither changed nor removed, and new ones get larger ids.
	 */
	listPets(query: PageQuery): Promise<PetPage>;

	/** The animal with this id, or undefined. Sees every create that was resolved before the call, on any node. */
	getPet(id: bigint): Promise<Pet | undefined>;

	/**
	 * Keeps an animal. Resolves after the commit that holds it is on disk. Ids ascend in commit order from 1 and are
	 * never used twice. With an Idempotency-Key, the same key of the same caller leads to the same animal for
	 * `idempotencyHours`, also when both requests run at once, and whatever becomes of the animal meanwhile; key and
	 * animal are stored in one transaction.
	 */
	createPet(pet: NewPet, idempotencyKey?: IdempotencyKey): Promise<Created>;

	/** 32 random bytes, made with the store and equal on all nodes: cursors are signed with it. */
	readonly cursorSecret: Buffer;

	readonly keys: KeyRows;

	/** For moving the whole store (copy.ts). */
	readonly rows: Rows;

	/** Counts the next `limit` animals after `after` by status. */
	countPets(after: bigint, limit: number): Promise<PetCount>;

	/** What this process has added since it started. */
	readonly created: Readonly<CreatedCount>;

	/** Creates that wait for their commit. */
	readonly queueLength: number;

	/** Resolves when reads and writes work. */
	check(): Promise<void>;

	/** Commits what was accepted, then lets go of files and connections. */
	close(): Promise<void>;
}

/** How a store is opened. */
export interface OpenOptions {
	/**
	 * Reads the whole store first where it is a file, to refuse a damaged one: for the service; commands leave it out.
	 */
	isVerified?: boolean;
	/** Refuses where there is no store, instead of making one. */
	mustExist?: boolean;
	/** Called when a new store was made; `place` is its file or its database. */
	onCreate?: (place: string) => void;
	/** Called once, when no write is taken any more until the store is opened again. */
	onFatal?: (reason: string) => void;
	/** From 0 to 1: spreads the retries of nodes that write at once. Commands, which write once, leave it out. */
	random?: () => number;
}

export interface PageQuery {
	status?: PetStatus | undefined;
	after: bigint;
	limit: number;
}

export interface PetPage {
	pets: Pet[];
	hasMore: boolean;
}

export interface PetCount {
	/** Animals by status; `none` are those without one. */
	counts: Partial<Record<PetStatus | "none", number>>;
	/** The largest id among them; absent when there were none. */
	lastId?: bigint;
}

/** Animals, and the batches that held them. */
export interface CreatedCount {
	animals: number;
	batches: number;
}

/**
 * What became of a create. `replayed`: `id` was made by an earlier equal request. `reused`: by one for another animal.
 */
export interface Created {
	id: bigint;
	outcome: "created" | "replayed" | "reused";
}

/** The API keys as they are kept. Times are milliseconds since 1970. */
export interface KeyRows {
	/** The secret with this SHA-256 (hex) and the key it belongs to, revoked and expired ones included. */
	byHash(hash: string): Promise<KeyRow | undefined>;
	/** One row for each key, with its newest secret, oldest key first. */
	list(): Promise<ListedKey[]>;
	/** Keeps a new key with its first secret. Both or neither. */
	add(key: NewKey, secret: NewSecret): Promise<void>;
	/** Gives the key one more secret; its older ones end at `graceEndsAtMs`, unless they end before. Both or neither. */
	rotate(keyId: string, secret: NewSecret, graceEndsAtMs: number): Promise<void>;
	/** All secrets of the key stop working. */
	revoke(keyId: string, nowMs: number): Promise<void>;
	/** Moves the last-used times of these keys forward. */
	touch(uses: KeyUse[]): Promise<void>;
}

/** A key with one of its secrets. */
export interface KeyRow extends KeyRecord {
	secret: Secret;
}

export interface ListedKey extends KeyRow {
	/** When each operation was last called with this key. */
	usedAtMs: Readonly<Record<string, number>>;
}

/** What waiting may cure: a full disk, a lost server. Callers see 503. */
export class StorageUnavailable extends Error {
	override readonly name = "StorageUnavailable";
}

/** A store that cannot be opened. The message is one sentence that says what to do; nothing was changed. */
export class StoreRefused extends Error {
	override readonly name = "StoreRefused";
}
