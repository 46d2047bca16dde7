// Creates with Idempotency-Keys that are repeated until they are acknowledged, on one node after the other.

import assert from "node:assert/strict";
import { Agent } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { post } from "./crash-proof.ts";
import { attempt as animal, idOf } from "./full-disk.ts";
import { type Attempt, Ledger } from "./ledger.ts";

/** Creates with Idempotency-Keys. Who is refused sends the same create to the next node, as clients of a balancer do. */
export function startRetryingLoad(first: string, key: string) {
	const urls = [first];
	const ledger = new Ledger();
	const agent = new Agent({ keepAlive: true });
	const created = new Map<string, { firstMs: number; lastMs: number }>();
	let firstRefusedMs: number | undefined;
	let number = 0;
	let refused = 0;
	let isStopped = false;

	async function sendTo(url: string, mine: Attempt): Promise<boolean> {
		const answer = await post(url, key, agent, mine);
		const nowMs = performance.now();
		if (answer.status === 201) {
			created.set(url, { firstMs: created.get(url)?.firstMs ?? nowMs, lastMs: nowMs });
			ledger.acknowledge(mine, idOf(answer));
			return true;
		}
		assert.equal(answer.status, 503, answer.body);
		assert.match(answer.body, /"code":"storage_unavailable"/);
		firstRefusedMs ??= nowMs;
		refused++;
		return false;
	}

	async function client(): Promise<void> {
		while (!isStopped) {
			const mine = { ...animal(number), idempotencyKey: `upgrade-${number}` };
			number++;
			// Nobody leaves with a create that is not acknowledged: the newer node takes it.
			for (let turn = 0; !(await sendTo(urls[turn % urls.length] ?? first, mine)); turn++) await sleep(20);
		}
	}
	const finished = Promise.all(Array.from({ length: 12 }, client));
	finished.catch(() => {});
	return {
		ledger,
		add: (url: string) => void urls.push(url),
		refused: () => refused,
		firstRefusedMs: () => firstRefusedMs,
		firstCreatedMs: (url: string) => created.get(url)?.firstMs ?? Number.NaN,
		lastCreatedMs: (url: string) => created.get(url)?.lastMs ?? Number.NaN,
		async stop() {
			isStopped = true;
			await finished;
			agent.destroy();
		},
	};
}
