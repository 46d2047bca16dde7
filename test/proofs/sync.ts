// Syncs fail. After the first failure, every node of the store ends without acknowledging another create.

import assert from "node:assert/strict";
import { Agent } from "node:http";
import { callerOf } from "../support/caller.ts";
import { attempt, idOf, post } from "../support/create.ts";
import { Ledger, listAll } from "../support/ledger.ts";
import { type Running, startProgram } from "../support/program.ts";
import { linux, newStore, type Proof, program } from "../support/proof.ts";
import { within } from "../support/until.ts";

export const proof: Proof = {
	shows: "after a failed sync, no node of the store acknowledges another create; each ends with code 1, for a restart",
	needs: [linux, program("strace")],
	async prove(trial) {
		const { environment, key } = await newStore("sync", trial.folder);
		const syncs = "-e trace=fsync,fdatasync -e inject=fsync,fdatasync:error=EIO:when=40+";
		const failing = `strace -D -f -o /dev/null ${syncs}`.split(" ");
		const service = await startProgram(trial, environment, { under: failing });
		const other = await startProgram(trial, environment);
		const agent = new Agent({ keepAlive: true });
		const ledger = new Ledger();
		let hasFailed = false;
		/** Adds animals until the node ends. After service refuses one, no later create may be acknowledged. */
		const createUntilEnd = async ({ url }: Running, from: number): Promise<number> => {
			for (let number = from; ; number++) {
				const isTooLate = hasFailed;
				const answer = await post(url, key, agent, attempt(number)).catch(() => undefined);
				if (answer?.status === 201) {
					assert.ok(!isTooLate, "no node acknowledges a create after a failed sync");
					ledger.acknowledge(attempt(number), idOf(answer));
					continue;
				}
				ledger.lose(attempt(number));
				hasFailed ||= url === service.url;
				if (!answer) return number;
				assert.equal(answer.status, 503);
			}
		};
		const clients = Promise.all(Array.from({ length: 8 }, (_, client) => createUntilEnd(other, 10_000 * (client + 1))));
		assert.ok((await createUntilEnd(service, 0)) < 500, "a sync failed");
		await within("the other node to end", clients);
		for (const node of [service, other]) {
			const { code, stdout } = await within("the end", node.finished);
			assert.equal(code, 1);
			assert.match(stdout, /a sync of .* failed: writes are rejected until the service is restarted/);
		}
		agent.destroy();
		const again = await startProgram(trial, environment);
		ledger.verify(await listAll(again.url, key));
		assert.equal((await callerOf(again.url, key).create()).status, 201);
		return { acknowledged: ledger.acknowledged.size, unknown: ledger.unknown.size };
	},
};
