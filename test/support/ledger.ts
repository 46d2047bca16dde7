// What clients know about animals: creates that were acknowledged, refused, or got no reply, and edits while others read. A
// list has to show it, and a reply a state that the animal had at some moment between the request and the reply. A file
// may have it too, so that a later process can continue: a line is added before each create or edit is sent, and when
// its success is known. No line is ever changed.

import assert from "node:assert/strict";
import { appendFileSync, existsSync, fsyncSync, openSync, readFileSync, truncateSync } from "node:fs";
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

/** Undefined: the animal is removed. */
export type State = NewPet | undefined;

interface Version {
	state: string;
	/** When the request was sent. */
	fromMs: number;
	/** When its success was known; infinite while its outcome is unknown. */
	knownMs: number;
}

type Line =
	| ["create", state: string]
	| ["change", id: string, state: string]
	| ["known", id: string, index: number]
	| ["settled"];

const unknown = Number.POSITIVE_INFINITY;
/** The time of what earlier processes did. */
const earlier = Number.NEGATIVE_INFINITY;

export class Ledger {
	readonly acknowledged = new Map<string, Attempt>();
	readonly unknown = new Map<string, Attempt>();
	readonly refused = new Map<string, Attempt>();
	readonly #versions = new Map<bigint, Version[]>();
	/** The animals whose create is under way, or got no reply. */
	readonly #unanswered = new Set<string>();
	readonly #file: number | undefined;
	readonly ids: bigint[] = [];
	/** The number of animals whose create was sent. */
	sent = 0;

	/** @param file has what earlier processes knew */
	constructor(file?: string) {
		if (file === undefined) return;
		for (const line of readLines<Line>(file)) this.#repeat(line);
		this.#file = openSync(file, "a");
	}

	acknowledge(attempt: Attempt, id: bigint): void {
		assert.ok(attempt.id === undefined || attempt.id === id, `${attempt.pet.name} was ${attempt.id} and is now ${id}`);
		this.unknown.delete(attempt.pet.name);
		this.acknowledged.set(attempt.pet.name, { ...attempt, id });
		if (!this.#versions.has(id)) this.change(id, attempt.pet)();
	}

	/** No reply has come, or none yet. */
	lose(attempt: Attempt): void {
		this.unknown.set(attempt.pet.name, attempt);
		if (attempt.id === undefined) this.#unanswered.add(describe(attempt.pet));
	}

	/** It must never be listed. */
	refuse(attempt: Attempt): void {
		this.refused.set(attempt.pet.name, attempt);
	}

	/**
	 * Asserts that ids ascend; that acknowledged animals are listed once and unaltered, unknown ones at most once and
	 * unaltered, and always after they were listed for the first time; and that there is no other animal.
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

	#repeat(line: Line): void {
		if (line[0] === "create") this.#create(line[1]);
		else if (line[0] === "change") this.#change(BigInt(line[1]), line[2], earlier);
		else if (line[0] === "known") this.#know(BigInt(line[1]), line[2], earlier);
		else this.#unanswered.clear();
	}

	#write(line: Line): void {
		if (this.#file !== undefined) appendFileSync(this.#file, `${JSON.stringify(line)}\n`);
	}

	/** Waits until the file is on disk. */
	sync(): void {
		if (this.#file !== undefined) fsyncSync(this.#file);
	}

	#create(state: string): void {
		this.#unanswered.add(state);
		this.sent++;
	}

	/** Before the create of an animal is sent; no other looks the same. */
	create(pet: NewPet): void {
		const state = describe(pet);
		this.#create(state);
		this.#write(["create", state]);
	}

	/** @returns the number of the change among those of the animal */
	#change(id: bigint, state: string, fromMs: number): number {
		const version: Version = { state, fromMs, knownMs: unknown };
		const versions = this.#versions.get(id);
		if (versions) return versions.push(version) - 1;
		this.ids.push(id);
		this.#versions.set(id, [version]);
		this.#unanswered.delete(state);
		return 0;
	}

	#know(id: bigint, index: number, knownMs: number): void {
		const version = this.#versions.get(id)?.[index];
		assert.ok(version, `${id} has a change ${index}`);
		version.knownMs = knownMs;
	}

	/**
	 * Before an edit is sent, or when the id of a new animal is known.
	 * @returns marks the change as known to have happened
	 */
	change(id: bigint, state: State, fromMs = performance.now()): () => void {
		const index = this.#change(id, describe(state), fromMs);
		this.#write(["change", String(id), describe(state)]);
		return () => {
			this.#know(id, index, performance.now());
			this.#write(["known", String(id), index]);
		};
	}

	/** Asserts that the animal was like this, or absent, at some moment from one time to the other. */
	check(id: bigint, shown: Pet | undefined, sentMs: number, repliedMs = performance.now()): void {
		const versions = this.#versions.get(id);
		// An animal whose create has no reply yet is known to nobody.
		if (!versions) return;
		const last = versions.findLastIndex(({ knownMs }) => knownMs <= sentMs);
		// Its create had not succeeded before.
		if (!shown && last < 0 && versions[0]?.knownMs !== unknown) return;
		const first = Math.max(last, 0);
		const possible = versions.slice(first).filter(({ fromMs }) => fromMs <= repliedMs);
		const index = possible.findIndex(({ state }) => state === describe(shown));
		const expected = possible.map(({ state }) => state).join(" or ");
		assert.ok(index >= 0, `${id} was ${expected}, and is ${describe(shown)}`);
		if (possible[index]?.knownMs !== unknown) return;
		// An edit without a reply has happened if its result is seen.
		this.#know(id, first + index, repliedMs);
		this.#write(["known", String(id), first + index]);
	}

	/**
	 * Asserts that this was the whole list at some moment from one time to the other: all animals as they are known, and
	 * no other ones.
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

	/**
	 * Takes the list as what happened of the changes without a reply. Call it when nothing of them can still happen:
	 * when all processes that they were sent to have ended.
	 */
	settle(listed: Pet[]): void {
		this.checkAll(listed);
		const shown = new Map(listed.map((pet) => [pet.id, pet]));
		for (const id of new Set([...this.ids, ...shown.keys()])) {
			const last = this.#versions.get(id)?.at(-1);
			if (last?.knownMs === unknown || last?.state !== describe(shown.get(id))) this.change(id, shown.get(id))();
		}
		this.#unanswered.clear();
		this.#write(["settled"]);
	}

	/** Whether it is removed, as far as anybody knows. */
	isRemoved(id: bigint): boolean {
		return this.#versions.get(id)?.at(-1)?.state === describe(undefined);
	}
}

function describe(state: State): string {
	return state ? `${state.name}, ${state.categoryId}, ${state.status ?? "no status"}` : "absent";
}

/** The lines of a file of JSON that several processes in turn add to. The end of a process may have cut off the last. */
export function readLines<Line>(file: string): Line[] {
	const text = existsSync(file) ? readFileSync(file, "utf8") : "";
	const whole = text.slice(0, text.lastIndexOf("\n") + 1);
	if (whole !== text) truncateSync(file, Buffer.byteLength(whole));
	return whole
		.split("\n")
		.slice(0, -1)
		.map((line) => JSON.parse(line));
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
