// What clients know about animals: creates that were acknowledged or got no reply, and edits during reads. A list must
// agree with it, and a reply must show a state that the animal had at some moment between the request and the reply.

import assert from "node:assert/strict";
import { Agent } from "node:http";
import type { NewPet, Pet } from "../../src/contract/pet.ts";
import { ask, linkOf } from "./caller.ts";
import { petsOf } from "./store-reads.ts";
import { until } from "./until.ts";
import type { Reply } from "./wire.ts";

/** A create, identified by the name of its animal. */
export interface Attempt {
	pet: NewPet;
	idempotencyKey: string | undefined;
	id?: bigint;
}

/** Undefined: the animal is removed. */
export type State = NewPet | undefined;

interface Version {
	state: string;
	fromMs: number;
	/** When the client learned that the change succeeded; infinite while the outcome is unknown. */
	knownMs: number;
}

const unknown = Number.POSITIVE_INFINITY;

export class Ledger {
	readonly acknowledged = new Map<string, Attempt>();
	readonly unknown = new Map<string, Attempt>();
	readonly #versions = new Map<bigint, Version[]>();
	/** The animals whose create is under way, or got no reply. */
	readonly #unanswered = new Set<string>();
	readonly ids: bigint[] = [];
	/** The number of animals whose create was sent. */
	sent = 0;

	acknowledge(attempt: Attempt, id: bigint): void {
		assert.ok(attempt.id === undefined || attempt.id === id, `${attempt.pet.name} was ${attempt.id} and is now ${id}`);
		this.unknown.delete(attempt.pet.name);
		this.acknowledged.set(attempt.pet.name, { ...attempt, id });
		if (!this.#versions.has(id)) this.change(id, attempt.pet)();
	}

	/** Records that the outcome of the create is unknown: no reply has arrived, or not yet. */
	lose(attempt: Attempt): void {
		this.unknown.set(attempt.pet.name, attempt);
		if (attempt.id === undefined) this.#unanswered.add(describe(attempt.pet));
	}

	/**
	 * Asserts that ids ascend; that each acknowledged animal is listed once and unaltered; that each animal of unknown
	 * outcome is listed at most once and unaltered, and then in every later list; and that no other animal is listed.
	 */
	verify(listed: Pet[]): void {
		for (const [place, { id }] of listed.entries())
			assert.ok(id > (listed[place - 1]?.id ?? 0n), `id ${id} follows ${listed[place - 1]?.id}`);
		this.checkAll(listed);
		for (const pet of listed) {
			if (!this.#versions.has(pet.id)) this.change(pet.id, pet)();
			const attempt = this.unknown.get(pet.name);
			if (attempt) attempt.id ??= pet.id;
		}
	}

	/** Call this before the create of an animal is sent. No two animals may look the same. */
	create(pet: NewPet): void {
		this.#unanswered.add(describe(pet));
		this.sent++;
	}

	/**
	 * Call this before an edit is sent, or when the id of a new animal is known.
	 * @returns a function to call when the change is known to have happened
	 */
	change(id: bigint, pet: State, fromMs = performance.now()): () => void {
		const version: Version = { state: describe(pet), fromMs, knownMs: unknown };
		const versions = this.#versions.get(id);
		if (versions) versions.push(version);
		else {
			this.ids.push(id);
			this.#versions.set(id, [version]);
			this.#unanswered.delete(version.state);
		}
		return () => {
			version.knownMs = performance.now();
		};
	}

	/** Asserts that the animal was as shown, or absent if `shown` is undefined, at some moment between the two times. */
	check(id: bigint, shown: Pet | undefined, sentMs: number, repliedMs = performance.now()): void {
		const versions = this.#versions.get(id);
		// The create of this animal has no reply yet, so its id is unknown.
		if (!versions) return;
		const last = versions.findLastIndex(({ knownMs }) => knownMs <= sentMs);
		// The reply to this animal's create arrived after the request was sent, so the animal may be absent.
		if (!shown && last < 0 && versions[0]?.knownMs !== unknown) return;
		const first = Math.max(last, 0);
		const possible = versions.slice(first).filter(({ fromMs }) => fromMs <= repliedMs);
		const found = possible.find(({ state }) => state === describe(shown));
		const expected = possible.map(({ state }) => state).join(" or ");
		assert.ok(found, `${id} was ${expected}, and is ${describe(shown)}`);
		// If a read shows the result of an edit, the edit has happened, even without a reply.
		if (found.knownMs === unknown) found.knownMs = repliedMs;
	}

	/**
	 * Asserts that each animal in the ledger was as listed at some moment between the two times, and that every other
	 * animal in the list belongs to a create without a reply.
	 */
	checkAll(listed: Pet[], fromMs = performance.now(), toMs = fromMs): void {
		const shown = new Map(listed.map((pet) => [pet.id, pet]));
		for (const id of this.ids) this.check(id, shown.get(id), fromMs, toMs);
		const strangers = listed.filter(({ id }) => !this.#versions.has(id)).map(describe);
		for (const [index, stranger] of strangers.entries()) {
			assert.ok(this.#unanswered.has(stranger), `nobody created ${stranger}`);
			assert.ok(strangers.indexOf(stranger) === index, `${stranger} was created twice`);
		}
	}

	/** Whether the latest edit sent for the animal is its removal. */
	isRemoved(id: bigint): boolean {
		return this.#versions.get(id)?.at(-1)?.state === describe(undefined);
	}
}

function describe(state: State): string {
	return state ? `${state.name}, ${state.categoryId}, ${state.status ?? "no status"}` : "absent";
}

/** Walks the whole list. Repeats a request that the service refuses because of overload, as on a busy machine. */
export async function listAll(url: string, key: string, query = "limit=100"): Promise<Pet[]> {
	const pets: Pet[] = [];
	const agent = new Agent({ keepAlive: true });
	const read = async (path: string) => {
		const reply = await ask(new URL(path, url), { key, agent });
		assert.ok(reply.status === 200 || reply.body.includes('"code":"overloaded"'), reply.body);
		return reply.status === 200 && reply;
	};
	for (let path: string | undefined = `/v1/pets?${query}`; path; ) {
		const lastId = pets.at(-1)?.id ?? 0n;
		const page: Reply = await until(`the list at ${url}${path}`, () => read(path as string));
		pets.push(...petsOf({ json: page.body }));
		assert.ok((pets.at(-1)?.id ?? 1n) > lastId, "each page has later animals");
		path = linkOf(page);
	}
	agent.destroy();
	return pets;
}
