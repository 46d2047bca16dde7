// The records besides pets: API keys, their secrets and uses, Idempotency-Keys, and edits. Times are milliseconds since
// 1970.

import type { PetStatus } from "../contract/pet.ts";

/** Idempotency-Keys are scoped to the API key. */
export interface IdempotencyKey {
	/** The id of the caller's API key. */
	caller: string;
	key: string;
}

/** A stored Idempotency-Key, with the create that it was used for. */
export interface IdempotencyKeyRecord extends IdempotencyKey {
	petId: bigint;
	/** Of the request that created the animal; later changes do not affect it. Empty when the animal was removed. */
	fingerprint: string;
	createdAtMs: number;
}

export interface NewKey {
	id: string;
	name: string;
	scopes: string[];
	/** Such as `100/1m`; absent if the service's default limit applies. */
	rate?: string | undefined;
	createdAtMs: number;
}

export interface Secret {
	/** The last characters of the key, for display. */
	last4: string;
	createdAtMs: number;
	expiresAtMs?: number | undefined;
}

export interface NewSecret extends Secret {
	/** SHA-256 of the key's text, in hex. The text itself is never stored. */
	hash: string;
}

/** A stored key. */
export interface KeyRecord extends NewKey {
	revokedAtMs?: number | undefined;
}

/** A stored secret. The newest secret of a key has the largest number. */
export interface SecretRecord extends NewSecret {
	keyId: string;
	number: number;
}

/** The last call of an operation with a key. */
export interface KeyUse {
	keyId: string;
	operation: string;
	usedAtMs: number;
}

/** An edit of an animal by an operator. It has no names, because they may have to be removed. */
export interface EditRecord {
	/** 1, 2, 3 … in commit order. */
	id: bigint;
	atMs: number;
	/** Who did it. */
	editor: string;
	action: "set-status" | "rename" | "remove";
	petId: bigint;
	/** The status before a change of status and before a removal; absent if there was none. */
	fromStatus?: PetStatus | undefined;
	/** The status after a change of status; absent if there is none. */
	toStatus?: PetStatus | undefined;
	/** When the name that it replaced was erased from the files of the store; absent until then. */
	erasedAtMs?: number | undefined;
}
