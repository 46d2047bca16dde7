// deploy/nginx.conf in front of three nodes, each of which is restarted under load.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { listAll } from "../support/ledger.ts";
import { startSteadyLoad } from "../support/mixed-load.ts";
import { freePort } from "../support/postgres-server.ts";
import { startProgram } from "../support/program.ts";
import { newDatabase, type Proof, program, type Trial } from "../support/proof.ts";

export const proof: Proof = {
	shows: "behind deploy/nginx.conf each of three nodes is restarted under load, and no request fails",
	needs: [program("nginx")],
	async prove(trial) {
		const { environment, key } = await newDatabase(trial);
		const nodes = await Promise.all([1, 2, 3].map(() => startProgram(trial, environment)));
		const url = await startBalancer(
			nodes.map(({ url }) => new URL(url).host),
			trial,
		);
		const { ledger, stop } = startSteadyLoad([url], key);
		for (const [place, node] of nodes.entries()) {
			await sleep(3000);
			assert.equal((await node.stop()).code, 0);
			nodes[place] = await startProgram(trial, { ...environment, PORT: new URL(node.url).port });
		}
		await sleep(3000);
		await stop();
		ledger.verify(await listAll(url, key));
		for (const node of nodes) node.process.kill("SIGKILL");
		await Promise.all(nodes.map(({ finished }) => finished));
		const headers = { authorization: `Bearer ${key}` };
		const refused = await fetch(`${url}/v1/pets`, { headers });
		const { code, status } = (await refused.json()) as { code: string; status: number };
		assert.deepEqual([refused.status, code, status], [503, "storage_unavailable", 503]);
		return { acknowledged: ledger.acknowledged.size, failed: 0, restarts: nodes.length };
	},
};

/** Starts nginx with deploy/nginx.conf and these nodes. @returns its URL */
async function startBalancer(nodes: string[], { folder, after }: Trial): Promise<string> {
	const port = await freePort();
	const file = join(folder, "nginx.conf");
	const text = readFileSync(new URL("../../deploy/nginx.conf", import.meta.url), "utf8");
	const here = text.replace("listen 8080", `listen 127.0.0.1:${port}`);
	writeFileSync(
		file,
		here.replace(/node-(\d):8080/g, (_, number) => nodes[number - 1] ?? ""),
	);
	const balancer = spawn(
		"nginx",
		["-c", file, "-p", folder, "-g", "daemon off; pid nginx.pid; error_log stderr crit;"],
		{
			stdio: ["ignore", "ignore", "inherit"],
		},
	);
	after(() => balancer.kill("SIGTERM"));
	await once(balancer, "spawn");
	await sleep(500);
	return `http://127.0.0.1:${port}`;
}
