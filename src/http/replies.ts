// The one memory of replies. The reply to a read depends only on the base address, the request target and the store. So
// it is remembered under the first two, and sent again until the store shows another state. Fields that depend on the
// request, such as its id or its rate, are added to each reply.

import { crc32, gzipSync } from "node:zlib";
import type { Shown, Store } from "../store/store.ts";
import type { Exchange } from "./exchange.ts";
import { overloaded } from "./overload.ts";
import type { BaseUrlOf } from "./proxies.ts";
import { acceptsGzip, entityTag, matchesTag } from "./request-headers.ts";

/** The approximate size of all remembered replies. */
const rememberedMaxBytes = 16 * 1024 * 1024;
/** The size of a reply without its texts. */
const replyBytes = 500;
/** The number of targets whose latest use is known. */
const usedMax = 2 ** 14;
/** A shorter body fits into one packet anyway. */
const gzipMinLength = 1000;

/** The result of a handler's read. */
export interface Found {
	body: string;
	/** Absent if the reply must not be remembered. */
	shown?: Shown;
	/** New animals do not change the reply. */
	isSettled: boolean;
	/** The value of a list's Link field. */
	links?(): string;
	/** Distinguishes replies with the same body and other links. */
	variant?: string;
}

export interface FinishedReply extends Pick<Found, "body" | "shown" | "isSettled"> {
	tag: string;
	links?: string | undefined;
	/** Made for the first client that accepts it. */
	gzip?: { body: Buffer; tag: string };
}

/**
 * Remembers the replies that were used lately, in two halves: when the newer one is full, the older one is forgotten,
 * with all replies that were not used since. So few uses change a map: one whose entries are removed and added all the
 * time gets slow.
 */
export function createReplyMemory(maxBytes = rememberedMaxBytes) {
	let recent = new Map<string, FinishedReply>();
	let older = new Map<string, FinishedReply>();
	let recentBytes = 0;
	const used = new Uint32Array(usedMax);

	function add(key: string, reply: FinishedReply): void {
		recent.set(key, reply);
		recentBytes += bytesOf(key, reply);
		if (recentBytes <= maxBytes / 2) return;
		older = recent;
		recent = new Map();
		recentBytes = 0;
	}

	function find(key: string): FinishedReply | undefined {
		const found = recent.get(key);
		if (found) return found;
		const earlier = older.get(key);
		if (earlier) add(key, earlier);
		return earlier;
	}

	/** Whether the key was used lately. Replies to other keys are not remembered: most pages are read once. */
	function isUsedAgain(key: string): boolean {
		const hash = crc32(key);
		const place = hash & (usedMax - 1);
		const isAgain = used[place] === hash;
		used[place] = hash;
		return isAgain;
	}

	return { add, find, isUsedAgain };
}

/** A character takes up to two bytes. A compressed body is shorter than the text, and counted from the start. */
function bytesOf(key: string, { body, links = "" }: FinishedReply): number {
	return replyBytes + 2 * (key.length + links.length) + 3 * body.length;
}

/** Whether a store in this state would give the same reply. */
function isValid({ shown, isSettled }: FinishedReply, now: Shown | undefined): boolean {
	if (!shown || !now) return false;
	return now.history === shown.history && now.lastEdit === shown.lastEdit && (isSettled || now.lastId === shown.lastId);
}

/**
 * Returns a function that answers a read which passed the checks, with the remembered reply or the result of `read`.
 * `read` gets the base address, and whether the reply will be remembered. Refusals are thrown, not remembered.
 */
export function createReplies(store: Pick<Store, "readShown">, baseUrlOf: BaseUrlOf) {
	const memory = createReplyMemory();

	return async (exchange: Exchange, read: (base: string, isKept: boolean) => Promise<Found>): Promise<void> => {
		const base = baseUrlOf(exchange.request);
		// A target contains no space.
		const key = `${exchange.request.url} ${base}`;
		const known = memory.find(key);
		if (known && isValid(known, await store.readShown())) return send(exchange, known);
		const isKept = known !== undefined || memory.isUsedAgain(key);
		const { body, shown, isSettled, links, variant } = await read(base, isKept);
		// Another request of the turn may have made the reply.
		const other = isKept ? memory.find(key) : undefined;
		if (other && isValid(other, shown)) return send(exchange, other);
		const reply = { body, shown, isSettled, tag: entityTag(body, variant), links: links?.() };
		if (isKept && shown) memory.add(key, reply);
		send(exchange, reply, isKept);
	};
}

/** @throws ApiError `overloaded` if the client has not taken earlier replies, while too many wait for their clients */
function send(exchange: Exchange, reply: FinishedReply, isKept = true): void {
	if (exchange.connection.isBehind) throw overloaded(0);
	const { headers } = exchange.request;
	const known = headers["if-none-match"];
	let { body, tag }: { body: string | Buffer; tag: string } = reply;
	if (reply.links !== undefined) {
		exchange.header("link", reply.links).vary("Accept-Encoding");
		const isWorthIt = isKept && reply.isSettled && reply.body.length >= gzipMinLength;
		if (isWorthIt && acceptsGzip(headers) && !matchesTag(known, tag)) {
			reply.gzip ??= { body: gzipSync(body), tag: `${tag.slice(0, -1)}gz"` };
			({ body, tag } = reply.gzip);
		}
	}
	exchange.header("etag", tag).header("cache-control", "private, no-cache").vary("Authorization");
	if (matchesTag(known, tag)) return void exchange.sendStatus(304);
	if (body === reply.gzip?.body) exchange.header("content-encoding", "gzip");
	exchange.sendJson(body);
}
