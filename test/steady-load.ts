// Creates that must all succeed, for as long as something else goes on.

import assert from "node:assert/strict";
import { Agent } from "node:http";
import { post } from "./crash-proof.ts";
import { attempt, idOf } from "./full-disk.ts";
import { Ledger } from "./ledger.ts";

export interface SteadyLoad {
	ledger: Ledger;
	/** @throws when a create failed */
	stop(): Promise<void>;
}

/** Creates animals through all of these URLs until it is told to stop. */
export function startSteadyLoad(urls: string[], key: string): SteadyLoad {
	const ledger = new Ledger();
	const agent = new Agent({ keepAlive: true });
	let number = 0;
	let isStopped = false;
	const work = Array.from({ length: 24 }, async (_, place) => {
		while (!isStopped) {
			const mine = attempt(number++);
			const answer = await post(urls[place % urls.length] ?? "", key, agent, mine);
			assert.equal(answer.status, 201, answer.body);
			ledger.acknowledge(mine, idOf(answer));
		}
	});
	const finished = Promise.all(work);
	// A failure is told by stop; until then nobody listens.
	finished.catch(() => {});
	const stop = async () => {
		isStopped = true;
		await finished;
		agent.destroy();
	};
	return { ledger, stop };
}
