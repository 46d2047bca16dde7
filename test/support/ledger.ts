// What a client knows about its creates: acknowledged, refused, or unknown because no reply came. After a restart the
// service's list is compared with it.

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
	/** The id in a reply. */
	id?: bigint;
}

export class Ledger {
	readonly acknowledged = new Map<string, Attempt>();
	readonly unknown = new Map<string, Attempt>();
	readonly refused = new Map<string, Attempt>();
	acknowledge(attempt: Attempt, id: bigint): void {
		assert.ok(attempt.id === undefined || attempt.id === id, `${attempt.pet.name} was ${attempt.id} and is now ${id}`);
		this.unknown.delete(attempt.pet.name);
		this.acknowledged.set(attempt.pet.name, { ...attempt, id });
	}

	lose(attempt: Attempt): void {
		this.unknown.set(attempt.pet.name, attempt);
	}

	refuse(attempt: Attempt): void {
		this.refused.set(attempt.pet.name, attempt);
	}

	/**
	 * Asserts that acknowledged animals are listed once and unaltered, unknown ones at most once and unaltered (and
	 * always after they were listed for the first time), refused ones never; that ids ascend; and that there is no other
	 * animal.
	 */
	verify(listed: Pet[]): void {
		const seen = new Set<string>();
		let lastId = 0n;
		for (const pet of listed) {
			assert.ok(pet.id > lastId, `id ${pet.id} follows ${lastId}`);
			lastId = pet.id;
			assert.ok(!seen.has(pet.name), `${pet.name} is listed twice`);
			seen.add(pet.name);
			const attempt = this.acknowledged.get(pet.name) ?? this.unknown.get(pet.name);
			assert.ok(attempt, `${pet.name} was ${this.refused.has(pet.name) ? "refused" : "never sent"}, and is listed`);
			attempt.id ??= pet.id;
			assert.deepEqual(pet, { id: attempt.id, ...attempt.pet });
		}
		for (const [name, { id }] of [...this.acknowledged, ...this.unknown]) {
			assert.ok(id === undefined || seen.has(name), `${name} had the id ${id} and is no longer listed`);
		}
	}
}

/** Walks the whole list, and repeats what the service refuses while it is overloaded, as on a busy machine. */
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
