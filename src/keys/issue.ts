// Issuing, rotating and revoking API keys: what an operator does, from the command line or at the first start.

import type { KeyRow, KeyRows, NewSecret } from "../store/store.ts";
import { hashOfKey, inBase62, keyFromRandom } from "./key-format.ts";

export interface Issuer {
	rows: KeyRows;
	/** Milliseconds since 1970. */
	now: () => number;
	/** Cryptographic random bytes. */
	random: (bytes: number) => Buffer;
}

export interface KeyRequest {
	name: string;
	scopes: string[];
	expiresInMs?: number | undefined;
	/** As `parseRate` takes it. */
	rate?: string | undefined;
	/** The key's text when it is given from outside (`API_KEY`). */
	key?: string | undefined;
}

/** A key id that names no key. */
export class NoSuchKey extends Error {
	override readonly name = "NoSuchKey";
}

/** Makes a key and keeps its hash. @returns its id and its text, which is nowhere else from now on */
export async function createKey(issuer: Issuer, request: KeyRequest): Promise<{ id: string; key: string }> {
	const { rows, now, random } = issuer;
	const { name, scopes, rate, expiresInMs, key = keyFromRandom(random(32)) } = request;
	const id = `key_${inBase62(random(8).readBigUInt64BE(), 11)}`;
	await rows.add({ id, name, scopes, rate, createdAtMs: now() }, newSecret(key, now(), expiresInMs));
	return { id, key };
}

/**
 * Gives a key a new text. The one before works for another `graceMs`; id, name, scopes and rate stay, and a key that
 * had a life span gets the same span again.
 * @throws NoSuchKey
 */
export async function rotateKey(issuer: Issuer, keyId: string, graceMs: number): Promise<string> {
	const { rows, now, random } = issuer;
	const { secret, revokedAtMs } = await keyById(rows, keyId);
	if (revokedAtMs !== undefined) throw new NoSuchKey(`${keyId} is revoked: create a new key instead`);
	const spanMs = secret.expiresAtMs === undefined ? undefined : secret.expiresAtMs - secret.createdAtMs;
	const key = keyFromRandom(random(32));
	await rows.rotate(keyId, newSecret(key, now(), spanMs), now() + graceMs);
	return key;
}

/** @throws NoSuchKey */
export async function revokeKey({ rows, now }: Issuer, keyId: string): Promise<void> {
	await keyById(rows, keyId);
	await rows.revoke(keyId, now());
}

function newSecret(key: string, nowMs: number, spanMs: number | undefined): NewSecret {
	return {
		hash: hashOfKey(key),
		last4: key.slice(-4),
		createdAtMs: nowMs,
		expiresAtMs: spanMs === undefined ? undefined : nowMs + spanMs,
	};
}

async function keyById(rows: KeyRows, keyId: string): Promise<KeyRow> {
	const row = (await rows.list()).find(({ id }) => id === keyId);
	if (!row) throw new NoSuchKey(`there is no key ${JSON.stringify(keyId)}: see animal-store keys list`);
	return row;
}
