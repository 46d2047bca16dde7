// Creates, rotates and revokes API keys, for the command line and the first start.

import type { AddUnless, KeyRow, KeyRows, NewSecret } from "../store/store.ts";
import { hashOfKey, keyFromRandom, toBase62 } from "./formats.ts";

export interface Issuer {
	rows: KeyRows;
	/** Milliseconds since 1970. */
	now: () => number;
	/** From a cryptographic generator. */
	random: (bytes: number) => Buffer;
}

export interface KeyRequest {
	name: string;
	scopes: string[];
	expiresInMs?: number | undefined;
	/** In the form that `parseRate` reads. */
	rate?: string | undefined;
	/** The secret, when the operator supplies it (`API_KEY`). */
	key?: string | undefined;
	/** When not to add the key. If several nodes create it at the same time, only one adds it. */
	unless?: AddUnless;
}

/** There is no key with this id, or it is revoked. */
export class NoSuchKey extends Error {}

/** Creates a key and stores its hash. @returns its id, and its secret, which is stored nowhere */
export async function createKey({ rows, now, random }: Issuer, request: KeyRequest) {
	const { name, scopes, rate, expiresInMs, key = keyFromRandom(random(32)), unless } = request;
	const id = `key_${toBase62(random(8).readBigUInt64BE(), 11)}`;
	const createdAtMs = now();
	const row = { id, name, scopes, rate, createdAtMs };
	return { id, key, isAdded: await rows.add(row, newSecret(key, createdAtMs, expiresInMs), unless) };
}

/**
 * Replaces a key's secret; the old one works for another `graceMs`. A key that expires gets its full lifetime again.
 * @returns the new secret @throws NoSuchKey
 */
export async function rotateKey(issuer: Issuer, keyId: string, graceMs: number): Promise<string> {
	const { rows, now, random } = issuer;
	const { secret, revokedAtMs } = await findKey(rows, keyId);
	if (revokedAtMs !== undefined) throw new NoSuchKey(`${keyId} is revoked: create a new key instead`);
	const lifetimeMs = secret.expiresAtMs === undefined ? undefined : secret.expiresAtMs - secret.createdAtMs;
	const key = keyFromRandom(random(32));
	const nowMs = now();
	await rows.rotate(keyId, newSecret(key, nowMs, lifetimeMs), nowMs + graceMs);
	return key;
}

/** @throws NoSuchKey */
export async function revokeKey({ rows, now }: Issuer, keyId: string): Promise<void> {
	await findKey(rows, keyId);
	await rows.revoke(keyId, now());
}

function newSecret(key: string, nowMs: number, lifetimeMs: number | undefined): NewSecret {
	return {
		hash: hashOfKey(key),
		last4: key.slice(-4),
		createdAtMs: nowMs,
		expiresAtMs: lifetimeMs === undefined ? undefined : nowMs + lifetimeMs,
	};
}

async function findKey(rows: KeyRows, keyId: string): Promise<KeyRow> {
	const row = (await rows.list()).find(({ id }) => id === keyId);
	if (!row) throw new NoSuchKey(`there is no key ${JSON.stringify(keyId)}: see animal-store keys list`);
	return row;
}
