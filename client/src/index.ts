// The client of animal-store, for Node, browsers, Bun and Deno. It needs only fetch.

import type { ErrorCode, Int64, NewPet, Pet, PetStatus } from "./contract.ts";
import { limitMax, newPetFields } from "./contract.ts";
import { parseExact } from "./exact-json.ts";

export type { ErrorCode, Int64, NewPet, Pet, PetStatus } from "./contract.ts";

/** The address of the service and the API key. */
export interface ClientOptions {
	/** The address of the service, such as `https://api.example.com`, with or without `/v1`. */
	url: string | URL;
	/** The API key, sent as a bearer token and nowhere else. */
	key: string;
	/** How long one attempt may take, up to the last byte of its reply. Default: 10 000. */
	timeoutMs?: number;
	/** How long failed attempts are repeated; 0 for one attempt only. Default: 30 000. */
	retryForMs?: number;
	/** Replaces the global `fetch`. */
	fetch?: typeof fetch;
}

/** Options of every call. */
export interface CallOptions {
	/** Aborts the call, also between attempts, with the signal's reason. */
	signal?: AbortSignal | undefined;
	/** Called with the successful reply, for its headers. */
	onReply?: (reply: Response) => void;
}

export interface CreateOptions extends CallOptions {
	/**
	 * 1 to 255 visible ASCII characters. Within 24 hours, the same key with the same animal adds only one animal.
	 * Default: a new key for each call. Set your own to repeat a create in another process.
	 */
	idempotencyKey?: string;
}

export interface ListQuery {
	/** Only animals with this status. */
	status?: PetStatus | undefined;
	/** Animals on a page, 1 to 100. Default: 100. */
	limit?: number | undefined;
	/** `next`, `prev` or `last` of an earlier page with the same status. */
	cursor?: string | undefined;
}

export interface Page {
	/** By ascending id, the order in which they were added. */
	pets: Pet[];
	/** The cursor of the next page; absent on the last page. */
	next?: string;
	/** The cursor of the previous page; absent on the first page. */
	prev?: string;
	/** The cursor of the page with the newest animals. It does not change. */
	last?: string;
}

/** All animals, one by one with `for await`, or page by page with `pages()`. */
export interface PetList extends AsyncIterable<Pet> {
	/** Begins at the first page, or with `from: "last"` at the newest animals. Each page is by ascending id. */
	pages(order?: { from?: "first" | "last" }): AsyncGenerator<Page, void, undefined>;
}

/**
 * An error reply of the service, with its message.
 *
 * ```ts
 * if (error instanceof ApiError && error.code === "invalid_body") console.log(error.message);
 * ```
 */
export class ApiError extends Error {
	override readonly name = "ApiError";
	/** From the service, which may add codes; or `unexpected_reply` when another server replied, such as a proxy. */
	readonly code: ErrorCode | "unexpected_reply";
	/** The HTTP status. */
	readonly status: number;
	/** Identifies the request in the service's log. */
	readonly requestId: string | undefined;
	/** Seconds to wait before another attempt. */
	readonly retryAfterSeconds: number | undefined;
	/** Whether the outcome is unknown: an attempt of the call that got 5xx or no reply may have succeeded. */
	isUnsettled: boolean;
	/** Of a create: repeat it with this key to learn the outcome. */
	idempotencyKey?: string;

	constructor(message: string, { status, headers }: Response, code: ErrorCode | "unexpected_reply") {
		super(message);
		this.code = code;
		this.status = status;
		this.isUnsettled = status >= 500 || code === "unexpected_reply";
		this.requestId = headers.get("x-request-id") ?? undefined;
		const seconds = headers.get("retry-after");
		this.retryAfterSeconds = seconds !== null && /^\d+$/.test(seconds) ? Number(seconds) : undefined;
	}
}

/** No reply: the connection failed or the time-out passed. The cause is `fetch`'s error. */
export class NoReply extends Error {
	override readonly name = "NoReply";
	/** Of a create: repeat it with this key to learn the outcome. */
	idempotencyKey?: string;
}

const firstPauseMs = 200;
const longestPauseMs = 8_000;

/**
 * The service's operations.
 *
 * ```ts
 * const store = new AnimalStore({ url: "http://127.0.0.1:8080", key });
 * const rex = await store.createPet({ name: "Rex", categoryId: 1, status: "available" });
 * for await (const pet of store.listPets({ status: "available" })) console.log(pet.id, pet.name);
 * ```
 *
 * Attempts that got 429, 502, 503, 504 or no reply are repeated, after `Retry-After` or a growing pause with jitter,
 * until `retryForMs` is over. That is safe for creates too: each carries an Idempotency-Key.
 */
export class AnimalStore {
	readonly #base: string;
	readonly #options: ClientOptions;

	constructor(options: ClientOptions) {
		this.#base = String(options.url).replace(/(\/v1)?\/*$/, "/v1");
		this.#options = options;
	}

	/**
	 * Lists animals by ascending id. Animals added meanwhile come at the end; none is skipped or repeated.
	 *
	 * ```ts
	 * for await (const pet of store.listPets()) console.log(pet.name);
	 * for await (const { pets } of store.listPets({ limit: 20 }).pages()) console.log(pets.length);
	 * for await (const { pets } of store.listPets().pages({ from: "last" })) console.log(pets.toReversed());
	 * ```
	 * @throws ApiError, NoReply
	 */
	listPets(query: ListQuery = {}, options?: CallOptions): PetList {
		const list = this;
		async function* pages({ from = "first" }: Parameters<PetList["pages"]>[0] = {}): ReturnType<PetList["pages"]> {
			const isBackward = from === "last";
			let cursor = query.cursor;
			if (isBackward) cursor ??= (await list.listPage({ ...query, limit: 1 }, options)).last;
			do {
				const page = await list.listPage({ ...query, cursor }, options);
				yield page;
				cursor = isBackward ? page.prev : page.next;
			} while (cursor !== undefined);
		}
		async function* pets() {
			for await (const page of pages()) yield* page.pets;
		}
		return { pages, [Symbol.asyncIterator]: pets };
	}

	/**
	 * Gets one page of animals.
	 *
	 * ```ts
	 * const first = await store.listPage({ limit: 20 });
	 * const second = first.next && (await store.listPage({ limit: 20, cursor: first.next }));
	 * ```
	 * @throws ApiError, NoReply
	 */
	async listPage({ limit = limitMax, status, cursor }: ListQuery = {}, options?: CallOptions): Promise<Page> {
		const query = new URLSearchParams({ limit: String(limit) });
		if (status !== undefined) query.set("status", status);
		if (cursor !== undefined) query.set("cursor", cursor);
		const { body, headers } = await this.#call(`/pets?${query}`, {}, options);
		const page: Page = { pets: body as Pet[] };
		for (const rel of ["next", "prev", "last"] as const) {
			const link = new RegExp(`<([^>]*)>;\\s*rel="${rel}"`).exec(headers.get("link") ?? "")?.[1];
			const found = link && new URL(link, this.#base).searchParams.get("cursor");
			if (found) page[rel] = found;
		}
		return page;
	}

	/**
	 * Adds an animal. When the promise resolves, the animal is on the service's disk.
	 *
	 * ```ts
	 * const rex = await store.createPet({ name: "Rex", categoryId: 1 });
	 * ```
	 * @throws ApiError, NoReply; RangeError for a categoryId that a number cannot hold exactly
	 */
	async createPet(pet: NewPet, options: CreateOptions = {}): Promise<Pet> {
		const { idempotencyKey = randomIdempotencyKey() } = options;
		const given = newPetFields.filter((field) => pet[field] !== undefined);
		const body = `{${given.map((field) => `"${field}":${jsonOf(pet[field])}`).join()}}`;
		const headers = { "content-type": "application/json", "idempotency-key": idempotencyKey };
		try {
			return (await this.#call("/pets", { method: "POST", headers, body }, options)).body as Pet;
		} catch (error) {
			if (error instanceof ApiError || error instanceof NoReply) error.idempotencyKey = idempotencyKey;
			throw error;
		}
	}

	/**
	 * Gets the animal with this id.
	 *
	 * ```ts
	 * const rex = await store.getPet(1);
	 * ```
	 * @deprecated The service answers 410 `operation_removed` from 5 December 2030 on: use `listPets` with a status
	 * filter.
	 * @throws ApiError, NoReply; RangeError for an id that a number cannot hold exactly
	 */
	async getPet(petId: Int64, options?: CallOptions): Promise<Pet> {
		return (await this.#call(`/pets/${toDigits(petId)}`, {}, options)).body as Pet;
	}

	async #call(path: string, request: RequestInit, options: CallOptions = {}): Promise<Reply> {
		const { retryForMs = 30_000 } = this.#options;
		const { signal, onReply } = options;
		const startedAtMs = performance.now();
		let isUnsettled = false;
		for (let attempt = 0; ; attempt++) {
			try {
				return await this.#attempt(path, request, signal, onReply);
			} catch (error) {
				signal?.throwIfAborted();
				if (error instanceof ApiError) isUnsettled = error.isUnsettled ||= isUnsettled;
				else isUnsettled = true;
				const afterMs = pauseMs(error, attempt);
				if (afterMs === undefined || performance.now() - startedAtMs + afterMs > retryForMs) throw error;
				await pause(afterMs, signal);
			}
		}
	}

	async #attempt(
		path: string,
		request: RequestInit,
		signal: AbortSignal | undefined,
		onReply: CallOptions["onReply"],
	): Promise<Reply> {
		const { key, timeoutMs = 10_000, fetch: send = fetch } = this.#options;
		// AbortSignal.timeout and AbortSignal.any hold what they were made for long after the reply: thousands a second add
		// up.
		const attempt = new AbortController();
		const stop = () => attempt.abort(signal?.reason);
		let isLate = false;
		const timer = setTimeout(() => {
			isLate = true;
			stop();
		}, timeoutMs);
		if (signal?.aborted) stop();
		signal?.addEventListener("abort", stop, { once: true });
		let reply: Response;
		let text: string;
		try {
			reply = await send(this.#base + path, {
				...request,
				headers: { ...request.headers, authorization: `Bearer ${key}` },
				redirect: "error",
				signal: attempt.signal,
			});
			text = await reply.text();
		} catch (cause) {
			const why = isLate ? `time-out after ${timeoutMs} ms` : "the connection failed";
			throw new NoReply(`no reply from ${this.#base}: ${why}`, { cause });
		} finally {
			clearTimeout(timer);
			signal?.removeEventListener("abort", stop);
		}
		const body = parseReply(text);
		if (!reply.ok) throw toApiError(reply, body);
		if (body === undefined) throw new ApiError("the reply is not JSON", reply, "unexpected_reply");
		onReply?.(reply);
		return { body, headers: reply.headers };
	}
}

interface Reply {
	body: unknown;
	headers: Headers;
}

function parseReply(text: string): unknown {
	try {
		return parseExact(text);
	} catch {
		return undefined;
	}
}

function toApiError(reply: Response, body: unknown): ApiError {
	const { code, message } = (body ?? {}) as { code?: ErrorCode; message?: string };
	if (code && message) return new ApiError(message, reply, code);
	return new ApiError(`another server, such as a proxy, replied ${reply.status}`, reply, "unexpected_reply");
}

/** How long to wait before the next attempt; undefined when another attempt cannot succeed. */
function pauseMs(error: unknown, attempt: number): number | undefined {
	const isTemporary =
		error instanceof NoReply || (error instanceof ApiError && /^(429|50[234])$/.test(`${error.status}`));
	if (!isTemporary) return undefined;
	const jitter = 0.5 + Math.random() / 2;
	const growing = Math.min(firstPauseMs * 2 ** attempt, longestPauseMs) * jitter;
	const retryAfterMs = error instanceof ApiError ? (error.retryAfterSeconds ?? 0) * 1000 : 0;
	return retryAfterMs + growing;
}

function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
	return new Promise((resolve, reject) => {
		const stop = () => {
			clearTimeout(timer);
			reject(signal?.reason);
		};
		const timer = setTimeout(() => {
			signal?.removeEventListener("abort", stop);
			resolve();
		}, ms);
		signal?.addEventListener("abort", stop, { once: true });
	});
}

/** JSON text of a field. JSON.stringify does not support bigint. */
function jsonOf(value: unknown): string {
	return typeof value === "number" || typeof value === "bigint" ? toDigits(value) : JSON.stringify(value);
}

function toDigits(int64: Int64): string {
	if (typeof int64 === "number" && !Number.isSafeInteger(int64))
		throw new RangeError(`${int64} is not exact: use a bigint beyond 2^53`);
	return String(int64);
}

function randomIdempotencyKey(): string {
	const bytes = crypto.getRandomValues(new Uint8Array(16));
	return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
