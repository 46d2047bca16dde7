// The client of animal-store, for Node, browsers, Bun and Deno. It needs only fetch.

import { Attempts, type Reply } from "./attempts.ts";
import { type Int64, type Int64Mode, int64Fields, limitMax, type NewPet, newPetFields, type Pet } from "./contract.ts";
import { AnimalStoreError, requestIdOf } from "./errors.ts";
import { toDigits } from "./int64.ts";
import { type CallOptions, type ClientOptions, type CreateOptions, readOptions, type Settings } from "./options.ts";
import { type ListQuery, type Page, type PetList, petList } from "./pet-list.ts";

export type { ErrorCode, Filter, Int64, Int64Mode, NewPet, Pet, PetStatus } from "./contract.ts";
export { AnimalStoreError, ApiError, NoReply } from "./errors.ts";
export type { CallOptions, ClientOptions, CreateOptions, Retry, SentRequest } from "./options.ts";
export type { ListQuery, Page, PetList } from "./pet-list.ts";

/** A call under way: `await` it for the result. */
export interface Call<Result> extends Promise<Result> {
	/** The result with the reply's status, headers and request id. The reply's body has been read. */
	withResponse(): Promise<{ data: Result; response: Response; requestId: string | undefined }>;
}

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
 * until `retryForMs` has passed. That is safe for creates, too: each has an Idempotency-Key. An address that cannot
 * be reached and has never replied is probably wrong: the call fails within a second.
 */
export class AnimalStore<Mode extends Int64Mode = "string"> {
	readonly #settings: Settings;
	readonly #attempts: Attempts;

	/** @throws TypeError that names the wrong or missing option and the fix */
	constructor(...[options]: "string" extends Mode ? [options?: ClientOptions<Mode>] : [options: ClientOptions<Mode>]) {
		this.#settings = readOptions(options ?? {});
		this.#attempts = new Attempts(this.#settings);
	}

	/**
	 * Lists animals by ascending id. Animals added in the meantime come at the end; none is skipped or repeated.
	 *
	 * ```ts
	 * for await (const pet of store.listPets()) console.log(pet.name);
	 * for await (const { pets } of store.listPets({ limit: 20 }).pages()) console.log(pets.length);
	 * for await (const { pets } of store.listPets().pages({ from: "last" })) console.log(pets.toReversed());
	 * const sold = await store.listPets({ status: "sold" }).toArray({ limit: 1000 });
	 * ```
	 * @throws AnimalStoreError
	 */
	listPets(query: ListQuery = {}, options?: CallOptions): PetList<Mode> {
		return petList(query, (page) => this.listPage(page, options));
	}

	/**
	 * Gets one page of animals.
	 *
	 * ```ts
	 * const first = await store.listPage({ limit: 20 });
	 * const second = first.next && (await store.listPage({ limit: 20, cursor: first.next }));
	 * ```
	 * @throws AnimalStoreError
	 */
	listPage({ limit = limitMax, cursor, ...filter }: ListQuery = {}, options?: CallOptions): Call<Page<Mode>> {
		const query = new URLSearchParams({ limit: String(limit) });
		// A mistyped filter is sent, too, so that the service refuses it: otherwise, the list would have all animals.
		for (const [field, value] of Object.entries(filter)) if (value !== undefined) query.set(field, String(value));
		if (cursor !== undefined) query.set("cursor", cursor);
		return toCall(async () => {
			const { body, response } = await this.#get(`/pets?${query}`, options);
			const page: Page<Mode> = { pets: body as Pet<Mode>[] };
			for (const rel of ["next", "prev", "last"] as const) {
				const link = new RegExp(`<([^>]*)>;\\s*rel="${rel}"`).exec(response.headers.get("link") ?? "")?.[1];
				const found = link && new URL(link, this.#settings.base).searchParams.get("cursor");
				if (found) page[rel] = found;
			}
			return { data: page, response };
		});
	}

	/**
	 * Adds an animal. When the promise resolves, the animal is on the service's disk.
	 *
	 * ```ts
	 * const rex = await store.createPet({ name: "Rex", categoryId: 1 });
	 * ```
	 * @throws AnimalStoreError; RangeError for a categoryId that is not exact
	 */
	createPet(pet: NewPet, options: CreateOptions = {}): Call<Pet<Mode>> {
		const { idempotencyKey = randomIdempotencyKey() } = options;
		return toCall(async () => {
			const body = this.#jsonOf(pet);
			const headers = { "content-type": "application/json", "idempotency-key": idempotencyKey };
			const request = { method: "POST", path: "/pets", headers, body } as const;
			try {
				const { body: data, response } = await this.#attempts.send(request, options);
				return { data: data as Pet<Mode>, response };
			} catch (error) {
				if (error instanceof AnimalStoreError) error.idempotencyKey = idempotencyKey;
				throw error;
			}
		});
	}

	/**
	 * Gets the animal with this id.
	 *
	 * ```ts
	 * const rex = await store.getPet(1);
	 * ```
	 * @deprecated The service answers 410 `operation_removed` from 5 December 2030 on: use `listPets` with a status
	 * filter.
	 * @throws AnimalStoreError; RangeError for an id that is not exact
	 */
	getPet(petId: Int64, options?: CallOptions): Call<Pet<Mode>> {
		return toCall(async () => {
			const digits = toDigits(petId, this.#settings.int64, "petId");
			const { body, response } = await this.#get(`/pets/${digits}`, options);
			return { data: body as Pet<Mode>, response };
		});
	}

	#get(path: string, options: CallOptions | undefined): Promise<Reply> {
		return this.#attempts.send({ method: "GET", path, headers: {} }, options);
	}

	/** Writes int64 fields itself: JSON.stringify does not support bigint, and writes a string of digits as a string. */
	#jsonOf(pet: NewPet): string {
		const { int64 } = this.#settings;
		const fields = newPetFields.filter((field) => pet[field] !== undefined);
		const json = (field: (typeof fields)[number]) =>
			int64Fields.includes(field) ? toDigits(pet[field] ?? "", int64, field) : JSON.stringify(pet[field]);
		return `{${fields.map((field) => `"${field}":${json(field)}`).join()}}`;
	}
}

/** A call is one promise until `withResponse` is called, so a failure is reported only if nobody awaits the call. */
function toCall<Result>(run: () => Promise<{ data: Result; response: Response }>): Call<Result> {
	const reply = run();
	const result = reply.then(({ data }) => data);
	const withResponse = async () => {
		const data = await result;
		const { response } = await reply;
		return { data, response, requestId: requestIdOf(response.headers) };
	};
	return Object.assign(result, { withResponse });
}

function randomIdempotencyKey(): string {
	const bytes = crypto.getRandomValues(new Uint8Array(16));
	return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
