// Syncs that fail: after the first of them nothing is acknowledged until the service is started again.

import assert from "node:assert/strict";
import { Agent } from "node:http";
import { post } from "../crash-proof.ts";
import { attempt, idOf } from "../full-disk.ts";
import { Ledger, listAll } from "../ledger.ts";
import { startProgram } from "../program.ts";
import { linux, newStore, type Proof, program } from "../proof.ts";

export const proof: Proof = {
	shows: "after a failed sync nothing is acknowledged until the service is started again",
	needs: [linux, program("strace")],
	async prove(trial) {
		const { environment, key } = await newStore("sync", trial.folder);
		const failing = [
			"strace",
			"-D",
			"-f",
			"-o",
			"/dev/null",
			"-e",
			"trace=fsync,fdatasync",
			"-e",
			"inject=fsync,fdatasync:error=EIO:when=40+",
		];
		const service = await startProgram(trial, environment, { under: failing });
		const agent = new Agent({ keepAlive: true });
		const ledger = new Ledger();
		let refused = 0;
		for (let number = 0; refused < 50; number++) {
			assert.ok(number < 500, "no sync failed");
			const answer = await post(service.url, key, agent, attempt(number));
			if (answer.status === 201) {
				assert.equal(refused, 0, "after a failed sync nothing is acknowledged any more");
				ledger.acknowledge(attempt(number), idOf(answer));
			} else {
				assert.equal(answer.status, 503);
				ledger.lose(attempt(number));
				refused++;
			}
		}
		assert.ok((await listAll(service.url, key)).length >= ledger.acknowledged.size, "reads go on");
		assert.equal((await fetch(`${service.url}/livez`)).status, 503);
		agent.destroy();
		service.process.kill("SIGTERM");
		const { stdout } = await service.finished;
		assert.match(stdout, /a sync of .* failed: writes are rejected until the service is restarted/);
		const again = await startProgram(trial, environment);
		ledger.verify(await listAll(again.url, key));
		assert.equal((await post(again.url, key, new Agent(), attempt(9999))).status, 201);
		return { acknowledged: ledger.acknowledged.size, refused };
	},
};
