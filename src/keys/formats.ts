// The format of an API key: `pets_`, 256 random bits in base62, and a CRC-32 that detects typos without a lookup.

import { hash } from "node:crypto";
import { crc32 } from "node:zlib";

const base62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const prefix = "pets_";
const randomDigits = 43;
const checkDigits = 6;
export const keyLength = prefix.length + randomDigits + checkDigits;

/** Secret scanners find the service's keys by this expression. */
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

/** SHA-256 of a key in hex; the store has only this. With 256 random bits, a key needs no salt and no slow hash. */
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
