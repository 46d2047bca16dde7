// The cache of replies. The reply to a read depends only on the base address, the target and the store. Until the store
// changes, the same reply is sent again. Headers that depend on the request, such as its id, are added to each reply.

import { gzipSync } from "node:zlib";
import type { Store, StoreVersion } from "../store/store.ts";
import { acceptsGzip, entityTag, matchesTag } from "./content.ts";
import type { Exchange } from "./exchange.ts";

/** The approximate limit for the size of all cached replies together: about 19,000 animals. */
const cachedMaxBytes = 16 * 1024 * 1024;
/** The size of a cached reply without its strings. */
const replyBytes = 500;
/** Shorter bodies are not compressed, because they fit into one packet anyway. */
const gzipMinLength = 1000;

interface Found {
	json: string;
	version: StoreVersion;
	/** True if new animals cannot change the reply. */
	isSettled: boolean;
	/** Builds the value of a list's Link field. */
	links?(): string;
	/** Distinguishes replies with the same body but different links. */
	variant?: string;
}

export interface CachedReply extends Pick<Found, "json" | "version" | "isSettled"> {
	tag: string;
	links?: string | undefined;
	/** The compressed body, created for the first client that accepts gzip. */
	gzip?: { body: Buffer; tag: string };
}

/** Keeps replies up to a total size. A full cache is emptied, because replies in use are soon cached again. */
export function createCacheEntries(maxBytes = cachedMaxBytes) {
	const replies = new Map<string, CachedReply>();
	let bytes = 0;

	function add(key: string, reply: CachedReply): void {
		const replaced = replies.get(key);
		bytes += bytesOf(key, reply) - (replaced ? bytesOf(key, replaced) : 0);
		if (bytes > maxBytes) {
			replies.clear();
			bytes = bytesOf(key, reply);
		}
		replies.set(key, reply);
	}

	return { add, find: (key: string) => replies.get(key) };
}

/** A character takes up to two bytes. In a body, it counts as three: the compressed body may need memory, too. */
function bytesOf(key: string, { json, links = "" }: CachedReply): number {
	return replyBytes + 2 * (key.length + links.length) + 3 * json.length;
}

/** Whether the reply is still right for this version of the store. */
function isValid({ version, isSettled }: CachedReply, now: StoreVersion): boolean {
	return (
		now.timeline === version.timeline &&
		now.lastEdit === version.lastEdit &&
		(isSettled || now.lastId === version.lastId)
	);
}

/** The target, which has no space, and the base address. */
const keyOf = ({ request, baseUrl }: Exchange) => `${request.url} ${baseUrl}`;

/** Caches the replies to reads that passed the checks. Refusals are not cached. */
export function createResponseCache(store: Pick<Store, "version">) {
	const entries = createCacheEntries();
	return {
		/** Sends the cached reply if it is still right. @returns whether a reply was sent */
		async answers(exchange: Exchange): Promise<boolean> {
			const cached = entries.find(keyOf(exchange));
			if (!cached || !isValid(cached, await store.version())) return false;
			send(exchange, cached);
			return true;
		},
		/** Sends and caches the reply to a read that `answers` did not answer. */
		reply(exchange: Exchange, found: Found): void {
			const { json, version, isSettled, links, variant } = found;
			const key = keyOf(exchange);
			const cached = entries.find(key);
			// Another request of the same tick may have cached the reply.
			if (cached && isValid(cached, version)) return void send(exchange, cached);
			const tag = entityTag(json, variant);
			const reply = { json, version, isSettled, tag, links: links?.() };
			entries.add(key, reply);
			send(exchange, reply, cached !== undefined);
		},
	};
}

/** @param isAgain whether the page was read before: most pages are read only once, so compressing is not worth it */
function send(exchange: Exchange, reply: CachedReply, isAgain = true): void {
	const { headers } = exchange.request;
	const known = headers["if-none-match"];
	let body: string | Buffer = reply.json;
	let { tag } = reply;
	if (reply.links !== undefined) {
		exchange.header("link", reply.links).vary("Accept-Encoding");
		const isWorthIt = isAgain && reply.isSettled && reply.json.length >= gzipMinLength;
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
