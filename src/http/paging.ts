// Paging by Link (RFC 8288) with opaque cursors. A cursor contains an id and a direction. It is signed with the filter,
// so that tampered or foreign cursors, and cursors of another filter, are detected.

import { hash } from "node:crypto";
import { ApiError } from "../contract/errors.ts";
import { type Filter, filterNames } from "../contract/operations.ts";
import { endOfList, type PagePosition, type PetPage } from "../store/store.ts";
import { isEqual } from "./auth.ts";

export interface Cursors {
	write(position: PagePosition, filter: Filter): string;
	/** @throws ApiError `invalid_cursor` */
	read(cursor: string, filter: Filter): PagePosition;
}

const macLength = 22;

/** @param secret 32 random bytes, equal on all nodes */
export function createCursors(secret: Buffer): Cursors {
	const key = hash("sha512-256", `cursors ${secret.toString("hex")}`);

	/** SHA-512/256 resists length extension, so a key before the message makes it a MAC at the cost of one hash. */
	function write({ after, upTo }: PagePosition, filter: Filter): string {
		const position = upTo === undefined ? after.toString(36) : `-${upTo.toString(36)}`;
		return hash("sha512-256", `${key} ${signedFilter(filter)} ${position}`, "base64url").slice(0, macLength) + position;
	}

	function read(cursor: string, filter: Filter): PagePosition {
		const position = toPosition(cursor.slice(macLength));
		if (position && isEqual(write(position, filter), cursor)) return position;
		throw new ApiError("invalid_cursor");
	}

	return { write, read };
}

const encoded = (value: unknown) => (value === undefined ? "" : encodeURIComponent(String(value)));

/** The values without their names, so that a filter of a later version leaves cursors without it valid. */
function signedFilter(filter: Filter): string {
	return filterNames
		.map((field) => encoded(filter[field]))
		.join(" ")
		.trimEnd();
}

/** Such as `&status=sold`. */
function filterQuery(filter: Filter): string {
	return filterNames
		.map((field) => (filter[field] === undefined ? "" : `&${field}=${encoded(filter[field])}`))
		.join("");
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
	filter: Filter;
	page: PetPage;
}

/**
 * The Link field of a page: `first` and `last` always, `prev` and `next` if animals precede and follow it. No query
 * looks behind the page: its cursor was only issued because there are animals.
 */
export function pageLinks(base: string, cursors: Cursors, { position, limit, filter, page }: LinkedPage): string {
	const first = `${base}/pets?limit=${limit}${filterQuery(filter)}`;
	const link = (rel: string, cursor: string) => `, <${first}&cursor=${cursor}>; rel="${rel}"`;
	const { prev, next } = neighboursOf(position, page);
	let links = `<${first}>; rel="first"`;
	if (prev) links += link("prev", cursors.write(prev, filter));
	if (next) links += link("next", cursors.write(next, filter));
	return links + link("last", cursors.write({ upTo: endOfList }, filter));
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
