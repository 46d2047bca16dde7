// The format of an API key: `pets_`, 256 random bits in base62, and a CRC-32 that detects typos without a lookup. Also
// durations and rates as people write them, such as `90d`, `24h` and `100/1m`, and the comparison of secrets.

import { hash } from "node:crypto";
import { crc32 } from "node:zlib";

const base62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const prefix = "pets_";
const randomDigits = 43;
const checkDigits = 6;

/** Secret scanners find our keys by this expression. */
export const keyPattern = /^pets_[0-9A-Za-z]{49}$/;

/** @param random32 32 bytes from a cryptographic generator */
export function keyFromRandom(random32: Buffer): string {
	const body = prefix + toBase62(BigInt(`0x${random32.toString("hex")}`), randomDigits);
	return body + checksum(body);
}

/** Whether the text has the format of a key and the right checksum. */
export function isWellFormedKey(text: string): boolean {
	if (!keyPattern.test(text)) return false;
	const end = text.length - checkDigits;
	return checksum(text.slice(0, end)) === text.slice(end);
}

/** SHA-256 of a key in hex; the store has only this. A key has 256 random bits and needs no salt and no slow hash. */
export function hashOfKey(key: string): string {
	return hash("sha256", key);
}

function checksum(body: string): string {
	return toBase62(BigInt(crc32(body)), checkDigits);
}

/** Least significant digit last, with leading zeros. */
export function toBase62(value: bigint, length: number): string {
	let digits = "";
	for (let rest = value; digits.length < length; rest /= 62n) digits = base62[Number(rest % 62n)] + digits;
	return digits;
}

const unitsMs = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

export const durationPattern = /^([1-9][0-9]{0,5})([smhd])$/;

/** Milliseconds of `30s`, `15m`, `24h` or `90d`; undefined for anything else. */
export function parseDurationMs(text: string): number | undefined {
	const found = durationPattern.exec(text);
	return found ? Number(found[1]) * unitsMs[found[2] as keyof typeof unitsMs] : undefined;
}

export interface Rate {
	requests: number;
	windowSeconds: number;
}

export const ratePattern = /^([1-9][0-9]{0,8})\/([1-9][0-9]{0,5})?([smhd])$/;

/** Reads `100/1m` or `10/s` as requests in a window; undefined for anything else. */
export function parseRate(text: string): Rate | undefined {
	const found = ratePattern.exec(text);
	if (!found) return undefined;
	const [, requests, count = 1, unit] = found;
	return { requests: Number(requests), windowSeconds: (Number(count) * unitsMs[unit as keyof typeof unitsMs]) / 1000 };
}

/**
 * Compares a secret with a text of a caller, in constant time for texts of one length. Buffers for `timingSafeEqual`
 * would cost more than a hash.
 */
export function isEqual(one: string, other: string): boolean {
	let difference = one.length ^ other.length;
	for (let index = 0; index < one.length; index++) difference |= one.charCodeAt(index) ^ other.charCodeAt(index);
	return difference === 0;
}
