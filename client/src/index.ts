// The client of animal-store, for Node, browsers, Bun and Deno: fetch and nothing else.

import type { ErrorCode, Int64, NewPet, Pet, PetStatus } from "./contract.ts";
import { limitMax, newPetFields } from "./contract.ts";
import { parseExact } from "./exact-json.ts";

export type { ErrorCode, Int64, NewPet, Pet, PetStatus } from "./contract.ts";

/** Where the service is and who calls. */
export interface ClientOptions {
	/** Address of the service, such as `https://api.example.com`, with or without `/v1`. */
	url: string | URL;
	/** The API key, sent as a bearer token and nowhere else. */
	key: string;
	/** Milliseconds that one attempt may take, to the last byte of its reply. Default: 10 000. */
	timeoutMs?: number;
	/** Milliseconds in which failed attempts are repeated; 0 for one attempt only. Default: 30 000. */
	retryForMs?: number;
	/** Instead of the global `fetch`. */
	fetch?: typeof fetch;
}

/** What each call takes. */
export interface CallOptions {
	/** Ends the call, its waits between attempts too, with the signal's reason. */
	signal?: AbortSignal | undefined;
	/** Sees the reply that succeeded, for its headers. */
	onReply?: (reply: Response) => void;
}

export interface CreateOptions extends CallOptions {
	/**
	 * 1 to 255 visible ASCII characters: for 24 hours the same key and the same animal make one animal only. One is made up for
	 * each call; give your own to repeat a create in another process.
	 */
	idempotencyKey?: string;
}

export interface ListQuery {
	/** Only animals with this status. */
	status?: PetStatus | undefined;
	/** Animals on a page, 1 to 100. Default: 100. */
	limit?: number | undefined;
	/** `next` of an earlier page of the same status. */
	cursor?: string | undefined;
}

export interface Page {
	/** By ascending id, which is the order in which they were added. */
	pets: Pet[];
	/** The cursor of the page behind this one; absent on the last. */
	next?: string;
}

/** All animals of a walk, one by one with `for await`, or page by page. */
export interface PetList extends AsyncIterable<Pet> {
	pages(): AsyncGenerator<Page, void, undefined>;
}

/**
 * A refusal by the service, in its own words.
 *
 * ```ts
 * if (error instanceof ApiError && error.code === "invalid_body") console.log(error.message);
 * ```
 */
export class ApiError extends Error {
	override readonly name = "ApiError";
	/** From the service's closed list; `unexpected_reply` when something between answered instead of the service. */
	readonly code: ErrorCode | "unexpected_reply";
	/** The HTTP status. */
	readonly status: number;
	/** Finds the request in the service's log. */
	readonly requestId: string | undefined;
	/** Seconds after which the service wants to be asked again. */
	readonly retryAfterSeconds: number | undefined;
	/** Whether this or an earlier attempt of the call may have been carried out all the same: it got no reply, or 5xx. */
	isUnsettled: boolean;
	/** Of a create: repeat it with this key to settle what became of it. */
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

/** No reply came: the connection failed, or the time was up. The cause is `fetch`'s error. */
export class NoReply extends Error {
	override readonly name = "NoReply";
	/** Of a create: repeat it with this key to settle what became of it. */
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
 * Attempts that got 429, 502, 503, 504 or no reply are repeated, after `Retry-After` or a growing pause with jitter, until
 * `retryForMs` is over. That is safe for creates too: each carries an Idempotency-Key.
 */
export class AnimalStore {
	readonly #base: string;
	readonly #options: ClientOptions;

	constructor(options: ClientOptions) {
		this.#base = String(options.url).replace(/(\/v1)?\/*$/, "/v1");
		this.#options = options;
	}

	/**
	 * Lists animals by ascending id. Animals that are added during a walk come at its end: none is skipped or repeated.
	 *
	 * ```ts
	 * for await (const pet of store.listPets()) console.log(pet.name);
	 * for await (const { pets } of store.listPets({ limit: 20 }).pages()) console.log(pets.length);
	 * ```
	 * @throws ApiError, NoReply
	 */
	listPets(query: ListQuery = {}, options?: CallOptions): PetList {
		const list = this;
		async function* pages(): AsyncGenerator<Page, void, undefined> {
			let cursor = query.cursor;
			do {
				const page = await list.listPage({ ...query, cursor }, options);
				yield page;
				cursor = page.next;
			} while (cursor !== undefined);
		}
		async function* pets() {
			for await (const page of pages()) yield* page.pets;
		}
		return { pages, [Symbol.asyncIterator]: pets };
	}

	/**
	 * One page of animals.
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
		const link = /<([^>]*)>;\s*rel="next"/.exec(headers.get("link") ?? "")?.[1];
		const next = link && new URL(link, this.#base).searchParams.get("cursor");
		return { pets: body as Pet[], ...(next && { next }) };
	}

	/**
	 * Adds an animal. When the promise resolves, it is on the service's disk.
	 *
	 * ```ts
	 * const rex = await store.createPet({ name: "Rex", categoryId: 1 });
	 * ```
	 * @throws ApiError, NoReply; RangeError for a categoryId that a number cannot hold exactly
	 */
	async createPet(pet: NewPet, options: CreateOptions = {}): Promise<Pet> {
		const { idempotencyKey = randomKey() } = options;
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
	 * The animal with this id.
	 *
	 * ```ts
	 * const rex = await store.getPet(1);
	 * ```
	 * @deprecated The service answers 410 `operation_removed` from 5 December 2030 on: use `listPets` with a status filter.
	 * @throws ApiError, NoReply; RangeError for an id that a number cannot hold exactly
	 */
	async getPet(petId: Int64, options?: CallOptions): Promise<Pet> {
		return (await this.#call(`/pets/${digits(petId)}`, {}, options)).body as Pet;
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
		// AbortSignal.timeout and AbortSignal.any hold what they were made for long after the reply: thousands a second add up.
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
			const why = isLate ? `none within ${timeoutMs} ms` : "the connection failed";
			throw new NoReply(`no reply from ${this.#base}: ${why}`, { cause });
		} finally {
			clearTimeout(timer);
			signal?.removeEventListener("abort", stop);
		}
		const body = parsed(text);
		if (!reply.ok) throw apiError(reply, body);
		if (body === undefined) throw new ApiError("the reply is no JSON", reply, "unexpected_reply");
		onReply?.(reply);
		return { body, headers: reply.headers };
	}
}

interface Reply {
	body: unknown;
	headers: Headers;
}

function parsed(text: string): unknown {
	try {
		return parseExact(text);
	} catch {
		return undefined;
	}
}

function apiError(reply: Response, body: unknown): ApiError {
	const { code, message } = (body ?? {}) as { code?: ErrorCode; message?: string };
	if (code && message) return new ApiError(message, reply, code);
	return new ApiError(`something between answered ${reply.status} instead of the service`, reply, "unexpected_reply");
}

/** How long to wait before another attempt; undefined when none can help. */
function pauseMs(error: unknown, attempt: number): number | undefined {
	const isTemporary =
		error instanceof NoReply || (error instanceof ApiError && /^(429|50[234])$/.test(`${error.status}`));
	if (!isTemporary) return undefined;
	const jitter = 0.5 + Math.random() / 2;
	const growing = Math.min(firstPauseMs * 2 ** attempt, longestPauseMs) * jitter;
	const asked = error instanceof ApiError ? (error.retryAfterSeconds ?? 0) * 1000 : 0;
	return asked + growing;
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

/** An int64 has no form of its own in JSON.stringify. */
function jsonOf(value: unknown): string {
	return typeof value === "number" || typeof value === "bigint" ? digits(value) : JSON.stringify(value);
}

function digits(int64: Int64): string {
	if (typeof int64 === "number" && !Number.isSafeInteger(int64))
		throw new RangeError(`${int64} is not exact: use a bigint beyond 2^53`);
	return String(int64);
}

function randomKey(): string {
	const bytes = crypto.getRandomValues(new Uint8Array(16));
	return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
