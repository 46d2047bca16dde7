// What clients know about animals: creates that were acknowledged, or got no reply. A list must agree with it.

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

export class Ledger {
	readonly acknowledged = new Map<string, Attempt>();
	readonly unknown = new Map<string, Attempt>();
	/** The animals whose id is known: from the reply to their create, or from a list. */
	readonly #known = new Map<bigint, string>();
	/** The animals whose create is under way, or got no reply. */
	readonly #unanswered = new Set<string>();

	acknowledge(attempt: Attempt, id: bigint): void {
		assert.ok(attempt.id === undefined || attempt.id === id, `${attempt.pet.name} was ${attempt.id} and is now ${id}`);
		this.unknown.delete(attempt.pet.name);
		this.acknowledged.set(attempt.pet.name, { ...attempt, id });
		this.#learn(id, attempt.pet);
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
		const shown = new Map(listed.map((pet) => [pet.id, describe(pet)]));
		for (const [id, state] of this.#known) {
			const now = shown.get(id) ?? "absent";
			assert.ok(now === state, `${id} was ${state}, and is ${now}`);
		}
		for (const pet of listed) {
			if (this.#known.has(pet.id)) continue;
			assert.ok(this.#unanswered.has(describe(pet)), `nobody created ${describe(pet)}, or it is there twice`);
			this.#learn(pet.id, pet);
			const attempt = this.unknown.get(pet.name);
			if (attempt) attempt.id ??= pet.id;
		}
	}

	#learn(id: bigint, pet: NewPet): void {
		if (!this.#known.has(id)) this.#known.set(id, describe(pet));
		this.#unanswered.delete(describe(pet));
	}
}

function describe({ name, categoryId, status }: NewPet): string {
	return `${name}, ${categoryId}, ${status ?? "no status"}`;
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
