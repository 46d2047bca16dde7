// Paging by Link (RFC 8288) with opaque cursors. A cursor contains the last id and is signed together with the filter,
// so that tampered or foreign cursors, and cursors of another filter, are detected.

import { hash } from "node:crypto";
import { ApiError } from "../contract/errors.ts";
import type { PetStatus } from "../contract/pet.ts";

export interface Cursors {
	write(after: bigint, status: PetStatus | undefined): string;
	/** @throws ApiError `invalid_cursor` */
	read(cursor: string, status: PetStatus | undefined): bigint;
}

const macLength = 22;

/** @param secret 32 random bytes, equal on all nodes */
export function createCursors(secret: Buffer): Cursors {
	const key = hash("sha512-256", `cursors ${secret.toString("hex")}`);

	/** SHA-512/256 resists length extension, so a key before the message makes it a MAC at the cost of one hash. */
	function write(after: bigint, status: PetStatus | undefined): string {
		const id = after.toString(36);
		return hash("sha512-256", `${key} ${status ?? ""} ${id}`, "base64url").slice(0, macLength) + id;
	}

	function read(cursor: string, status: PetStatus | undefined): bigint {
		const after = fromBase36(cursor.slice(macLength));
		const expected = after === undefined ? "" : write(after, status);
		if (after !== undefined && isEqual(expected, cursor)) return after;
		throw new ApiError(
			"invalid_cursor",
			'cursor must be taken unchanged from a Link header with rel="next" and used with the same status filter; ' +
				"start again without it",
		);
	}

	return { write, read };
}

/** Compares in constant time. Buffers for `timingSafeEqual` would cost more than the signature. */
function isEqual(one: string, other: string): boolean {
	let difference = one.length ^ other.length;
	for (let index = 0; index < one.length; index++) difference |= one.charCodeAt(index) ^ other.charCodeAt(index);
	return difference === 0;
}

function fromBase36(digits: string): bigint | undefined {
	if (!/^[0-9a-z]{1,13}$/.test(digits)) return undefined;
	// Ten digits are below 2^53.
	const high = BigInt(Number.parseInt(digits.slice(0, -10) || "0", 36));
	return high * 36n ** 10n + BigInt(Number.parseInt(digits.slice(-10), 36));
}

/** The Link field of a page: `first` always, `next` if there are more animals. */
export function pageLinks(
	base: string,
	query: { limit: number; status: PetStatus | undefined },
	next?: string,
): string {
	const status = query.status === undefined ? "" : `&status=${query.status}`;
	const first = `${base}/pets?limit=${query.limit}${status}`;
	const links = `<${first}>; rel="first"`;
	return next === undefined ? links : `${links}, <${first}&cursor=${next}>; rel="next"`;
}
