// The one memory of replies. What a read replies depends only on the base address, the request target and the store. So
// a reply is remembered under the first two, and sent again while the store shows what it was made of. Fields that
// depend on the request, such as its id or its rate, are added to each reply.

import { gzipSync } from "node:zlib";
import type { Shown, Store } from "../store/store.ts";
import type { Exchange } from "./exchange.ts";
import type { BaseUrlOf } from "./proxies.ts";
import { acceptsGzip, entityTag, matchesTag } from "./request-headers.ts";

/** About what the remembered replies of a process may take. */
const rememberedMaxBytes = 16 * 1024 * 1024;
/** Of an entry, without its texts. */
const entryBytes = 500;
/** The number of targets of which the latest use is known. */
const usedMax = 2 ** 14;
/** A shorter body fits into one packet anyway. */
const gzipMinLength = 1000;

/** What a handler makes of a read that found something. */
export interface Found {
	body: string;
	/** What the read showed; absent if the reply must not be remembered. */
	shown?: Shown;
	/** New animals do not change it. */
	isSettled: boolean;
	/** Of a list. */
	list?: {
		/** Distinguishes lists with the same body and other links. */
		variant: string;
		/** The value of its Link field. */
		links(): string;
	};
}

interface Representation {
	body: string | Buffer;
	tag: string;
}

/** A finished reply. */
export interface Reply extends Representation {
	body: string;
	links?: string;
	/** Only a reply that lasts is worth it. */
	isCompressible: boolean;
	/** Made when it is first asked for. */
	gzip?: Representation;
}

export interface Remembered {
	reply: Reply;
	shown: Shown;
	isSettled: boolean;
}

/** The least recently used replies are forgotten first. */
export interface ReplyMemory {
	get(key: string): Remembered | undefined;
	/** Whether the key was used lately. Only such replies are worth remembering: most pages are read once. */
	isUsedAgain(key: string): boolean;
	set(key: string, remembered: Remembered): void;
}

export function createReplyMemory(maxBytes = rememberedMaxBytes): ReplyMemory {
	const entries = new Map<string, Remembered>();
	const used = new Int32Array(usedMax);
	let bytes = 0;

	function remove(key: string): void {
		const entry = entries.get(key);
		if (!entry) return;
		entries.delete(key);
		bytes -= bytesOf(key, entry);
	}

	return {
		get(key) {
			const entry = entries.get(key);
			if (!entry) return undefined;
			entries.delete(key);
			entries.set(key, entry);
			return entry;
		},
		isUsedAgain(key) {
			const hash = hashOf(key);
			const place = hash & (usedMax - 1);
			const isAgain = used[place] === hash;
			used[place] = hash;
			return isAgain;
		},
		set(key, entry) {
			remove(key);
			entries.set(key, entry);
			bytes += bytesOf(key, entry);
			for (const oldest of entries.keys()) {
				if (bytes <= maxBytes) return;
				remove(oldest);
			}
		},
	};
}

/** A character takes up to two bytes. A compressed body is shorter than the text, and counted from the start. */
function bytesOf(key: string, { reply }: Remembered): number {
	const texts = key.length + (reply.links?.length ?? 0) + reply.body.length;
	return entryBytes + 2 * texts + (reply.isCompressible ? reply.body.length : 0);
}

/** FNV-1a. */
function hashOf(text: string): number {
	let hash = 0x811c9dc5 | 0;
	for (let index = 0; index < text.length; index++) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
	return hash;
}

/** Whether a store that shows this would give the same reply. */
function isValid({ shown, isSettled }: Remembered, now: Shown): boolean {
	if (now === shown) return true;
	return now.history === shown.history && now.lastEdit === shown.lastEdit && (isSettled || now.lastId === shown.lastId);
}

export interface Replies {
	/**
	 * Answers a read: with the remembered reply, or with what `read` finds.
	 * @param read gets the base address, and whether the reply will be remembered. It throws what is refused, which is
	 * never remembered
	 */
	send(exchange: Exchange, read: (base: string, isKept: boolean) => Promise<Found>): Promise<void>;
}

/** The checks (checks.ts) have already passed. */
export function createReplies(store: Pick<Store, "readShown">, baseUrlOf: BaseUrlOf): Replies {
	const memory = createReplyMemory();

	return {
		async send(exchange, read) {
			const base = baseUrlOf(exchange.request);
			// A target contains no space.
			const key = `${exchange.request.url} ${base}`;
			const known = memory.get(key);
			if (known && isValid(known, await store.readShown())) return write(exchange, known.reply);
			const isKept = known !== undefined || memory.isUsedAgain(key);
			const found = await read(base, isKept);
			const { shown, isSettled } = found;
			if (!isKept || !shown) return write(exchange, { ...toReply(found), isCompressible: false });
			// Another request of the turn may have made it.
			const other = memory.get(key);
			if (other && isValid(other, shown)) return write(exchange, other.reply);
			const reply = toReply(found);
			memory.set(key, { reply, shown, isSettled });
			write(exchange, reply);
		},
	};
}

function toReply({ body, isSettled, list }: Found): Reply {
	const reply = { body, tag: entityTag(body, list?.variant), isCompressible: false };
	return list ? { ...reply, links: list.links(), isCompressible: isSettled && body.length >= gzipMinLength } : reply;
}

function write(exchange: Exchange, reply: Reply): void {
	const { headers } = exchange.request;
	if (reply.links !== undefined) exchange.header("link", reply.links).vary("Accept-Encoding");
	if (reply.isCompressible && acceptsGzip(headers) && !matchesTag(headers["if-none-match"], reply.tag)) {
		reply.gzip ??= { body: gzipSync(reply.body), tag: `${reply.tag.slice(0, -1)}gz"` };
		send(exchange, reply.gzip, "gzip");
	} else send(exchange, reply);
}

function send(exchange: Exchange, { body, tag }: Representation, coding?: "gzip"): void {
	exchange.header("etag", tag).header("cache-control", "private, no-cache").vary("Authorization");
	if (matchesTag(exchange.request.headers["if-none-match"], tag)) return void exchange.sendStatus(304);
	if (coding) exchange.header("content-encoding", coding);
	exchange.sendJson(body);
}
