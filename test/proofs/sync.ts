// Syncs that fail: after the first failure no node of the store acknowledges anything until it is restarted.

import assert from "node:assert/strict";
import { Agent } from "node:http";
import { ask } from "../support/caller.ts";
import { attempt, idOf, post } from "../support/create.ts";
import { Ledger, listAll } from "../support/ledger.ts";
import { startProgram } from "../support/program.ts";
import { linux, newStore, type Proof, program } from "../support/proof.ts";
import { within } from "../support/until.ts";

export const proof: Proof = {
	shows: "after a failed sync no node of the store acknowledges anything until it is restarted",
	needs: [linux, program("strace")],
	async prove(trial) {
		const { environment, key } = await newStore("sync", trial.folder);
		const syncs = "-e trace=fsync,fdatasync -e inject=fsync,fdatasync:error=EIO:when=40+";
		const failing = `strace -D -f -o /dev/null ${syncs}`.split(" ");
		const service = await startProgram(trial, environment, { under: failing });
		const other = await startProgram(trial, environment);
		const agent = new Agent({ keepAlive: true });
		const ledger = new Ledger();
		let refused = 0;
		let refusedByOther = 0;
		/** Creates on the other node; after the first refusal of this node none may be acknowledged. */
		const client = async (_: unknown, client: number) => {
			for (let number = 10_000 * (client + 1); refusedByOther < 50; number++) {
				const hasFailed = refused > 0;
				const answer = await post(other.url, key, agent, attempt(number));
				if (answer.status === 201) {
					assert.ok(!hasFailed, "the other node acknowledges after a failed sync");
					ledger.acknowledge(attempt(number), idOf(answer));
				} else {
					assert.equal(answer.status, 503);
					ledger.lose(attempt(number));
					refusedByOther++;
				}
			}
		};
		const clients = Promise.all(Array.from({ length: 8 }, client));
		for (let number = 0; refused < 50; number++) {
			assert.ok(number < 500, "no sync failed");
			const answer = await post(service.url, key, agent, attempt(number));
			if (answer.status === 201) {
				assert.equal(refused, 0, "nothing is acknowledged after a failed sync");
				ledger.acknowledge(attempt(number), idOf(answer));
			} else {
				assert.equal(answer.status, 503);
				ledger.lose(attempt(number));
				refused++;
			}
		}
		await within("the other node to refuse", clients);
		for (const node of [service, other]) {
			assert.ok((await listAll(node.url, key)).length >= ledger.acknowledged.size, "reads continue");
			assert.equal((await ask(`${node.url}/livez`)).status, 503);
			const { stdout } = await node.stop();
			assert.match(stdout, /a sync of .* failed: writes are rejected until the service is restarted/);
		}
		agent.destroy();
		const again = await startProgram(trial, environment);
		ledger.verify(await listAll(again.url, key));
		assert.equal((await post(again.url, key, new Agent(), attempt(9999))).status, 201);
		return { acknowledged: ledger.acknowledged.size, refused, refusedByOther };
	},
};
