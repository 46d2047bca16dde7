// Paging by Link (RFC 8288) with opaque cursors. A cursor contains an id and a direction. Its signature also covers the
// filter, so that tampered or foreign cursors, and cursors of another filter, are detected.

import { hash } from "node:crypto";
import { ApiError } from "../contract/errors.ts";
import { type Filter, filterNames } from "../contract/filters.ts";
import { endOfList, type PagePosition, type PageQuery, type PetPage } from "../store/store.ts";

export type Cursors = ReturnType<typeof createCursors>;

const macLength = 22;

/** @param secret 32 random bytes, equal on all nodes */
export function createCursors(secret: Buffer) {
	const key = hash("sha512-256", `cursors ${secret.toString("hex")}`);

	/** The latest cursor that `write` made for a last page: nearly every page links to the same last page. */
	let last = { signed: "", cursor: "" };

	/** SHA-512/256 resists length extension, so a hash of the key followed by the message is a secure MAC. */
	function write({ after, upTo }: PagePosition, filter: Filter): string {
		const position = upTo === undefined ? after.toString(36) : `-${upTo.toString(36)}`;
		const signed = `${key} ${signedFilter(filter)} ${position}`;
		if (signed === last.signed) return last.cursor;
		const cursor = hash("sha512-256", signed, "base64url").slice(0, macLength) + position;
		if (upTo === endOfList) last = { signed, cursor };
		return cursor;
	}

	/** @throws ApiError `invalid_cursor` */
	function read(cursor: string, filter: Filter): PagePosition {
		const position = toPosition(cursor.slice(macLength));
		if (position && isEqual(write(position, filter), cursor)) return position;
		throw new ApiError("invalid_cursor");
	}

	return { write, read };
}

/** Compares strings of equal length in constant time. Buffers for `timingSafeEqual` take longer than a hash. */
function isEqual(one: string, other: string): boolean {
	let difference = one.length ^ other.length;
	for (let index = 0; index < one.length; index++) difference |= one.charCodeAt(index) ^ other.charCodeAt(index);
	return difference === 0;
}

const encoded = (value: unknown) => (value === undefined ? "" : encodeURIComponent(String(value)));

/** The filter's values without their names, so that existing cursors stay valid when a later version adds a filter. */
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

/** Reads a position: `-` and an id in base 36 is the page up to this id; an id alone is the page after it. */
function toPosition(text: string): PagePosition | undefined {
	const [, sign, digits = ""] = /^(-?)([0-9a-z]{1,13})$/.exec(text) ?? [];
	if (sign === undefined) return undefined;
	// Ten digits in base 36 are below 2^53.
	const low = BigInt(Number.parseInt(digits.slice(-10), 36));
	const id = digits.length <= 10 ? low : BigInt(Number.parseInt(digits.slice(0, -10), 36)) * 36n ** 10n + low;
	return sign === "-" ? { upTo: id } : { after: id };
}

/**
 * The Link field of a page: always `first` and `last`; `prev` if animals precede the page, and `next` if animals
 * follow. The page that the client came from is linked without checking whether its animals still exist. If they were
 * removed, the link leads to an empty page, which links back.
 */
export function pageLinks(base: string, cursors: Cursors, query: PageQuery, { ids, hasMore }: PetPage): string {
	const { after, upTo, limit } = query;
	const first = `${base}/pets?limit=${limit}${filterQuery(query)}`;
	const link = (rel: string, position: PagePosition) =>
		`, <${first}&cursor=${cursors.write(position, query)}>; rel="${rel}"`;
	let links = `<${first}>; rel="first"`;
	if (upTo === undefined) {
		if (after > 0n) links += link("prev", { upTo: after });
		if (hasMore && ids) links += link("next", { after: ids.last });
	} else {
		if (hasMore && ids) links += link("prev", { upTo: ids.first - 1n });
		if (upTo < endOfList) links += link("next", { after: upTo });
	}
	return links + link("last", { upTo: endOfList });
}
