// What is kept besides animals, as records: API keys, their secrets and uses, and Idempotency-Keys. Times are
// milliseconds since 1970.

/** Idempotency-Keys are scoped to the API key. */
export interface IdempotencyKey {
	/** The id of the caller's API key. */
	caller: string;
	key: string;
}

/** What an Idempotency-Key stands for, as it is kept. */
export interface IdempotencyKeyRecord extends IdempotencyKey {
	petId: bigint;
	/** Of the request that made the animal, whatever became of the animal since. */
	fingerprint: string;
	createdAtMs: number;
}

export interface NewKey {
	id: string;
	name: string;
	scopes: string[];
	/** Such as `100/1m`; absent where the service's own limit applies. */
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
	/** SHA-256 of the key's text, in hex. The text itself is never kept. */
	hash: string;
}

/** A key as it is kept. */
export interface KeyRecord extends NewKey {
	revokedAtMs?: number | undefined;
}

/** A secret as it is kept; of a key's secrets the one with the largest number is the newest. */
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
