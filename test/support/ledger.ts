// What a client knows of its creates: acknowledged, refused, or unknown because the reply never came. After a restart the
// service's list is held against it.

import assert from "node:assert/strict";
import { parseJson } from "../../src/contract/json.ts";
import type { NewPet, Pet } from "../../src/contract/pet.ts";
import { until } from "./until.ts";

/** An animal as it is told from all others: by its name. */
export interface Attempt {
	pet: NewPet;
	idempotencyKey: string | undefined;
	/** The id that a reply told. */
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
	 * Everything acknowledged is there field for field and once, everything unknown at most once and unaltered, and from the
	 * first time it was seen on for ever; everything refused not at all; ids ascend; nothing else is there.
	 */
	verify(listed: Pet[]): void {
		const seen = new Set<string>();
		let lastId = 0n;
		for (const pet of listed) {
			assert.ok(pet.id > lastId, `id ${pet.id} follows ${lastId}`);
			lastId = pet.id;
			assert.ok(!seen.has(pet.name), `${pet.name} is there twice`);
			seen.add(pet.name);
			const attempt = this.acknowledged.get(pet.name) ?? this.unknown.get(pet.name);
			assert.ok(attempt, `${pet.name} was ${this.refused.has(pet.name) ? "refused" : "never asked for"} and is there`);
			attempt.id ??= pet.id;
			assert.deepEqual(pet, { id: attempt.id, ...attempt.pet });
		}
		for (const [name, { id }] of [...this.acknowledged, ...this.unknown]) {
			assert.ok(id === undefined || seen.has(name), `${name} was there as ${id} and is gone`);
		}
	}
}

/** Where other programs take the CPU, the service may shed for a moment: that is waited for. */
function taken(url: string, key: string): Promise<Response> {
	return until(`the list at ${url}`, async () => {
		const reply = await fetch(url, { headers: { authorization: `Bearer ${key}` } });
		if (reply.ok) return reply;
		const refusal = await reply.text();
		assert.match(refusal, /"code":"overloaded"/);
		return false;
	});
}

/** Walks the whole list. */
export async function listAll(url: string, key: string): Promise<Pet[]> {
	const pets: Pet[] = [];
	let next: string | undefined = `${url}/v1/pets?limit=100`;
	while (next) {
		const lastId = pets.at(-1)?.id ?? 0n;
		const reply: Response = await taken(next, key);
		const page = parseJson(await reply.text()) as (Omit<Pet, "id" | "categoryId"> & {
			id: number;
			categoryId: number;
		})[];
		pets.push(...page.map((pet) => ({ ...pet, id: BigInt(pet.id), categoryId: BigInt(pet.categoryId) })));
		assert.ok((pets.at(-1)?.id ?? 1n) > lastId, "a walk goes on to its end");
		next = /<([^>]+)>; rel="next"/.exec(reply.headers.get("link") ?? "")?.[1];
	}
	return pets;
}
