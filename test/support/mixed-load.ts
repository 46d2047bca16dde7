// Clients that create animals on some nodes until they are stopped. Half of the clients send Idempotency-Keys.

import assert from "node:assert/strict";
import { Agent } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { attempt, idOf, isShed, post } from "./create.ts";
import { type Attempt, Ledger } from "./ledger.ts";
import { until, type Wait, within } from "./until.ts";
import type { Reply } from "./wire.ts";

/** Makes the Idempotency-Keys of each load in this process differ. */
let loads = 0;

export interface LoadOptions {
	clients?: number;
	/** False: each create must succeed. */
	mayBeRefused?: boolean;
	/** True: a connection may break before its reply, so that the outcome is unknown. */
	mayBreak?: boolean;
	/** Called for each reply except refusals as overloaded. */
	onReply?(url: string, answer: Reply): void;
}

/** Starts 24 clients whose creates must all succeed. */
export const startSteadyLoad = (urls: string[], key: string) =>
	startMixedLoad(urls, key, { clients: 24, mayBeRefused: false });

/**
 * Starts clients that create animals until they are stopped, and record each outcome. Every second client sends
 * Idempotency-Keys: after a 503 it repeats the create with the same key, on each node in turn, until the create is
 * acknowledged.
 */
export function startMixedLoad(urls: string[], key: string, options: LoadOptions = {}) {
	const { clients = 8, mayBeRefused = true, mayBreak = false, onReply } = options;
	const load = loads++;
	const ledger = new Ledger();
	const statuses = new Map<number, number>();
	const agent = new Agent({ keepAlive: true });
	const newConnections = new Agent();
	let number = 0;
	let turn = 0;
	let isStopped = false;

	async function send(mine: Attempt, through: Agent): Promise<boolean> {
		const sentAtMs = performance.now();
		const url = urls[turn++ % urls.length] ?? "";
		const answer = await post(url, key, through, mine).catch((error) => {
			ledger.lose(mine);
			if (!mayBreak) throw error;
		});
		if (!answer) return sleep(20, false);
		loading.slowestMs = Math.max(loading.slowestMs, performance.now() - sentAtMs);
		assert.ok(mayBeRefused || answer.status === 201, answer.body);
		if (isShed(answer)) return sleep(20, false);
		onReply?.(url, answer);
		statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
		if (answer.status === 201) {
			ledger.acknowledge(mine, idOf(answer));
			return true;
		}
		assert.equal(answer.status, 503, answer.body);
		assert.match(answer.headers["retry-after"] ?? "", /^\d+$/);
		ledger.lose(mine);
		return sleep(20, false);
	}

	/** Two of eight clients open a connection for each request. */
	async function client(place: number): Promise<void> {
		const through = place % 8 < 6 ? agent : newConnections;
		while (!isStopped) {
			const idempotencyKey = place % 2 === 0 ? `key-${load}-${number}` : undefined;
			const mine = { ...attempt(number++), idempotencyKey };
			while (!(await send(mine, through)) && idempotencyKey);
		}
	}

	const work = Promise.all(Array.from({ length: clients }, (_, place) => client(place)));
	work.catch(() => {});
	const loading = {
		ledger,
		statuses,
		/** The longest wait for a reply so far. */
		slowestMs: 0,
		/** Waits for this many more acknowledged animals; fails at once if a client gets a reply other than 201 and 503. */
		async acknowledges(more: number, wait?: Wait): Promise<void> {
			const enough = ledger.acknowledged.size + more;
			await Promise.race([work, until(`${more} more animals`, () => ledger.acknowledged.size >= enough, wait)]);
		},
		/** Waits until the nodes have refused this many creates. */
		async isRefused(times: number): Promise<void> {
			await Promise.race([work, until(`${times} refusals`, () => (statuses.get(503) ?? 0) >= times)]);
		},
		/** Stops the clients; resolves when the outcome of every create with an Idempotency-Key is known. */
		async stop(): Promise<void> {
			isStopped = true;
			await within("the clients to end", work);
			agent.destroy();
			const keyed = [...ledger.unknown.values()].filter(({ idempotencyKey }) => idempotencyKey !== undefined);
			assert.deepEqual(keyed, [], "each create with an Idempotency-Key has a known outcome");
		},
	};
	return loading;
}
