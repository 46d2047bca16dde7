// Paging by Link (RFC 8288) with opaque cursors. A cursor contains an id and a direction. It is signed with the filter,
// so that tampered or foreign cursors, and cursors of another filter, are detected.

import { hash } from "node:crypto";
import { ApiError } from "../contract/errors.ts";
import { type PetStatus, petStatuses } from "../contract/pet.ts";
import { endOfList, type PagePosition, type PetPage } from "../store/store.ts";
import { isEqual } from "./auth.ts";

export interface Cursors {
	write(position: PagePosition, status: PetStatus | undefined): string;
	/** @throws ApiError `invalid_cursor` */
	read(cursor: string, status: PetStatus | undefined): PagePosition;
	/** The cursor of the page with the newest animals: always the same for a filter. */
	last(status: PetStatus | undefined): string;
}

const macLength = 22;

/** @param secret 32 random bytes, equal on all nodes */
export function createCursors(secret: Buffer): Cursors {
	const key = hash("sha512-256", `cursors ${secret.toString("hex")}`);
	const lastOf = new Map([undefined, ...petStatuses].map((status) => [status, write({ upTo: endOfList }, status)]));

	/** SHA-512/256 resists length extension, so a key before the message makes it a MAC at the cost of one hash. */
	function write({ after, upTo }: PagePosition, status: PetStatus | undefined): string {
		const position = upTo === undefined ? after.toString(36) : `-${upTo.toString(36)}`;
		return hash("sha512-256", `${key} ${status ?? ""} ${position}`, "base64url").slice(0, macLength) + position;
	}

	function read(cursor: string, status: PetStatus | undefined): PagePosition {
		const position = toPosition(cursor.slice(macLength));
		if (position && isEqual(write(position, status), cursor)) return position;
		throw new ApiError("invalid_cursor");
	}

	return { write, read, last: (status) => lastOf.get(status) ?? "" };
}

/** Reads a `-` and the id in base 36 as a page up to that id, and the id alone as a page after it. */
function toPosition(text: string): PagePosition | undefined {
	const isBackward = text.startsWith("-");
	const id = fromBase36(isBackward ? text.slice(1) : text);
	if (id === undefined) return undefined;
	return isBackward ? { upTo: id } : { after: id };
}

function fromBase36(digits: string): bigint | undefined {
	if (!/^[0-9a-z]{1,13}$/.test(digits)) return undefined;
	// Ten digits are below 2^53.
	const high = BigInt(Number.parseInt(digits.slice(0, -10) || "0", 36));
	return high * 36n ** 10n + BigInt(Number.parseInt(digits.slice(-10), 36));
}

/** What the neighbours of a page depend on. */
interface LinkedPage {
	position: PagePosition;
	limit: number;
	status: PetStatus | undefined;
	page: PetPage;
}

/**
 * The Link field of a page: `first` and `last` always, `prev` and `next` if animals precede and follow it. No query
 * looks behind the page: its cursor was only issued because there are animals.
 */
export function pageLinks(base: string, cursors: Cursors, { position, limit, status, page }: LinkedPage): string {
	const first = `${base}/pets?limit=${limit}${status === undefined ? "" : `&status=${status}`}`;
	const link = (rel: string, cursor: string) => `, <${first}&cursor=${cursor}>; rel="${rel}"`;
	const { prev, next } = neighboursOf(position, page);
	let links = `<${first}>; rel="first"`;
	if (prev) links += link("prev", cursors.write(prev, status));
	if (next) links += link("next", cursors.write(next, status));
	return links + link("last", cursors.last(status));
}

/** A removal can leave no animals in a neighbour. That page is empty, and leads back. */
function neighboursOf(
	{ after, upTo }: PagePosition,
	{ ids, hasMore }: PetPage,
): { prev?: PagePosition | undefined; next?: PagePosition | undefined } {
	if (upTo === undefined)
		return {
			prev: after > 0n ? { upTo: after } : undefined,
			next: hasMore && ids ? { after: ids.last } : undefined,
		};
	return {
		prev: hasMore && ids ? { upTo: ids.first - 1n } : undefined,
		next: upTo < endOfList ? { after: upTo } : undefined,
	};
}
