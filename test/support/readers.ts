// Clients that read until they are stopped.

import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { parseJson } from "../../src/contract/json.ts";
import type { Pet } from "../../src/contract/pet.ts";
import { ask, linkOf } from "./caller.ts";
import type { Reply } from "./wire.ts";

/** @param read sends one request; `place` is the client's number, from 0 */
export function startReaders(clients: number, read: (place: number) => Promise<Reply>) {
	const statuses: Record<number, number> = {};
	const reading = { statuses, requests: 0, stop };
	let isStopped = false;
	async function client(place: number): Promise<void> {
		for (; !isStopped; reading.requests++) {
			const { status } = await read(place);
			statuses[status] = (statuses[status] ?? 0) + 1;
		}
	}
	const work = Promise.all(Array.from({ length: clients }, (_, place) => client(place)));
	work.catch(() => {});
	/** Stops the clients. @throws the error of a client whose read failed */
	async function stop(): Promise<void> {
		isStopped = true;
		await work;
	}
	return reading;
}

/**
 * Polls the last page for new animals, from each node in turn, like a client that copies all animals. Records animals
 * after the last one recorded.
 */
export function startPoller(urls: string[], key: string) {
	const ids: number[] = [];
	let path = "/v1/pets?limit=100";
	let isStopped = false;

	async function readPage(turn: number): Promise<void> {
		const reply = await ask(`${urls[turn % urls.length]}${path}`, { key });
		if (reply.status !== 200) return assert.equal(reply.status, 503, reply.body);
		for (const { id } of parseJson(reply.body) as { id: number }[]) if (id > (ids.at(-1) ?? 0)) ids.push(id);
		path = linkOf(reply) ?? path;
	}

	async function run(): Promise<void> {
		for (let turn = 0; !isStopped; turn++) {
			await readPage(turn);
			await sleep(5);
		}
	}
	const work = run();
	work.catch(() => {});

	/** Ends the polling. @throws AssertionError unless the client has seen all these animals, in order */
	async function stop(animals: Pet[]): Promise<void> {
		while (ids.length < animals.length && !isStopped) await Promise.race([work, sleep(20)]);
		isStopped = true;
		await work;
		const expected = animals.map(({ id }) => Number(id));
		assert.deepEqual(ids, expected, "a client that polls the last page sees every animal, in order");
	}
	return { stop };
}
