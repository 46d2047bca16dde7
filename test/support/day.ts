// A day's traffic at a constant rate: creates, edits, reads, and a reader of the last page. Each reply is checked
// against what the clients know from earlier replies.

import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { type NewPet, type Pet, petStatuses } from "../../src/contract/pet.ts";
import { type Ask, ask, linkOf } from "./caller.ts";
import type { Ledger } from "./ledger.ts";
import { listAll } from "./ledger.ts";
import { pick, seededRandom } from "./random.ts";
import { petsOf } from "./store-reads.ts";
import { until, within } from "./until.ts";

export interface Counts {
	creates: number;
	edits: number;
	reads: number;
	refused: number;
	broken: number;
}

export interface Day {
	counts: Counts;
	/** The secret of the API key. It can be replaced at any time: later requests use the new secret. */
	key: string;
	/** Sends new creates to each node until each node has added an animal. */
	isBack(withinMs: number): Promise<void>;
	/** Ends the traffic, and compares the whole list with the ledger. @returns the number of animals */
	end(): Promise<number>;
}

const createEveryMs = 100;
const readEveryMs = 20;
const editEveryMs = 500;
/** The newest animals are not edited or removed, so that the reader of the last page sees every animal. */
const oldEnough = 200;

interface Reply {
	status: number;
	text: string;
	next: string | undefined;
	sentMs: number;
}

const petOf = (json: string): Pet => petsOf({ json: `[${json}]` })[0] ?? assert.fail(json);

export interface DayStart {
	urls: string[];
	key: string;
	seed: number;
	ledger: Ledger;
}

/** If a reply is wrong, `end` and `isBack` fail with the error. */
export async function startDay({ urls, key, seed, ledger }: DayStart): Promise<Day> {
	const random = seededRandom(seed);
	let isEnding = false;

	/** @returns undefined if the connection broke or no reply came in time */
	async function call(url: string, path: string, what: Ask = {}): Promise<Reply | undefined> {
		const sentMs = performance.now();
		try {
			const reply = await within("a reply", ask(`${url}${path}`, { key: day.key, ...what }), 30_000);
			const text = reply.body;
			if (reply.status === 503) day.counts.refused++;
			else assert.ok(reply.status < 500 && reply.status !== 401, `${reply.status} ${text}`);
			return { status: reply.status, text, next: linkOf(reply), sentMs };
		} catch (error) {
			if (error instanceof assert.AssertionError) throw error;
			day.counts.broken++;
			return undefined;
		}
	}

	/** A new animal, recorded in the ledger. */
	function newAnimal(): { pet: NewPet; number: number } {
		const number = ledger.sent + 1;
		const pet = { name: `animal ${number}`, categoryId: BigInt(number), status: pick(petStatuses, random) };
		ledger.create(pet);
		return { pet, number };
	}

	/** @returns whether the create was acknowledged */
	async function add(url: string, pet: NewPet, fromMs: number, headers: Record<string, string> = {}): Promise<boolean> {
		const body = `{"name":"${pet.name}","categoryId":${pet.categoryId},"status":"${pet.status}"}`;
		const reply = await call(url, "/v1/pets", { headers, body });
		if (reply?.status !== 201) return false;
		const { id, ...stored } = petOf(reply.text);
		assert.deepEqual(stored, pet);
		ledger.change(id, pet, fromMs)();
		if (!isPolledEarly.delete(id)) unpolled.add(id);
		day.counts.creates++;
		return true;
	}

	/** Every second create is repeated until it succeeds. */
	async function create(): Promise<void> {
		const { pet, number } = newAnimal();
		const fromMs = performance.now();
		const isRepeated = number % 2 === 0;
		const headers = isRepeated ? { "idempotency-key": `day-${seed}-${number}` } : undefined;
		while (!(await add(pick(urls, random), pet, fromMs, headers)) && isRepeated) await sleep(200);
	}

	async function read(): Promise<void> {
		const id = pick(ledger.ids, random);
		if (id === undefined) return;
		const path =
			random() < 0.7 ? `/v1/pets/${id}` : pick(["/v1/pets", "/v1/pets?limit=100", "/v1/pets?status=sold"], random);
		const reply = await call(pick(urls, random), path);
		if (!reply || reply.status === 503) return;
		day.counts.reads++;
		if (path === `/v1/pets/${id}`) ledger.check(id, reply.status === 404 ? undefined : petOf(reply.text), reply.sentMs);
		else for (const pet of petsOf({ json: reply.text })) ledger.check(pet.id, pet, reply.sentMs);
	}

	/** Reads a random animal, and sends an edit that names the state it read. */
	async function edit(): Promise<void> {
		const id = ledger.ids[Math.floor(random() * (ledger.ids.length - oldEnough))];
		if (id === undefined || ledger.isRemoved(id)) return;
		const found = await call(pick(urls, random), `/v1/pets/${id}`);
		if (found?.status === 404) ledger.check(id, undefined, found.sentMs);
		if (found?.status !== 200) return;
		const pet = petOf(found.text);
		ledger.check(id, pet, found.sentMs);
		const { id: _, ...seen } = pet;
		const action = random() < 0.1 ? "remove" : random() < 0.3 ? "rename" : "set-status";
		const others = petStatuses.filter((other) => other !== pet.status);
		const status = pick(others, random);
		const name = `${pet.name.split(" as ")[0]} as ${Math.floor(random() * 1e9)}`;
		const state = action === "remove" ? undefined : action === "rename" ? { ...seen, name } : { ...seen, status };
		const known = ledger.change(id, state);
		const { name: nameNow, status: statusNow } = pet;
		const given = { id: 0, action, ...(action === "rename" && { name }), ...(action === "set-status" && { status }) };
		const body = JSON.stringify({ edits: [{ ...given, seen: { name: nameNow, status: statusNow } }] });
		const exact = body.replace('"id":0', `"id":${id}`);
		const reply = await call(pick(urls, random), "/console/edits", { body: exact });
		if (reply?.status !== 200) return;
		const { results } = JSON.parse(reply.text);
		if (results.length === 0) return;
		assert.equal(results[0].outcome, "edited", reply.text);
		known();
		day.counts.edits++;
	}

	/** Animals whose create is acknowledged, but which the reader of the last page has not seen yet. */
	const unpolled = new Set<bigint>();
	/** Animals that the reader of the last page saw before the reply to their create. */
	const isPolledEarly = new Set<bigint>();
	let page = "/v1/pets?limit=100";
	let lastId = 0n;
	async function poll(): Promise<void> {
		const reply = await call(pick(urls, random), page);
		if (reply?.status !== 200) return;
		for (const { id } of petsOf({ json: reply.text })) {
			if (id <= lastId) continue;
			if (!unpolled.delete(id)) isPolledEarly.add(id);
			lastId = id;
		}
		page = reply.next ?? page;
	}

	/** Starts an action every `everyMs`, even while earlier actions wait; at most `most` run at a time. */
	async function repeat(action: () => Promise<void>, everyMs: number, most = 50): Promise<void> {
		const running = new Set<Promise<void>>();
		while (!isEnding) {
			const one = action();
			running.add(one);
			// An error of the action rejects `work`, below.
			void one.then(
				() => running.delete(one),
				() => {},
			);
			if (running.size >= most) await Promise.race(running);
			await sleep(everyMs);
		}
		await Promise.all(running);
	}

	const day: Day = {
		counts: { creates: 0, edits: 0, reads: 0, refused: 0, broken: 0 },
		key,
		async isBack(withinMs) {
			const isBack = (url: string) => add(url, newAnimal().pet, performance.now());
			const all = urls.map((url) => until(`${url} to create`, () => isBack(url), { withinMs, everyMs: 100 }));
			await Promise.race([Promise.all(all), work]);
		},
		async end() {
			isEnding = true;
			await work;
			const listed = await listAll(urls[0] ?? "", day.key);
			ledger.checkAll(listed);
			await until(`the reader of the last page to see ${[...unpolled].slice(0, 10)}`, async () => {
				await poll();
				return unpolled.size === 0;
			});
			return listed.length;
		},
	};
	const work = Promise.all([
		repeat(create, createEveryMs),
		repeat(read, readEveryMs),
		repeat(edit, editEveryMs, 1),
		repeat(poll, 100, 1),
	]);
	work.catch(() => {});
	return day;
}
