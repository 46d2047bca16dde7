// deploy/nginx.conf in front of three nodes, each of which is restarted under load, again and again. Nothing is retried.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { get, type IncomingMessage } from "node:http";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { listAll } from "../support/ledger.ts";
import { startSteadyLoad } from "../support/mixed-load.ts";
import { freePort } from "../support/postgres-server.ts";
import { startProgram } from "../support/program.ts";
import { newDatabase, type Proof, program, type Trial } from "../support/proof.ts";

export const proof: Proof = {
	shows: "behind deploy/nginx.conf each of three nodes is restarted under load ten times, and no request fails",
	needs: [program("nginx")],
	options: { rounds: { default: "10", text: "restarts of each node" } },
	async prove(trial) {
		const { environment, key } = await newDatabase(trial);
		const nodes = await Promise.all([1, 2, 3].map(() => startProgram(trial, environment)));
		const url = await startBalancer(
			nodes.map(({ url }) => new URL(url).host),
			trial,
		);
		const { ledger, stop } = startSteadyLoad([url], key);
		const lists = startLists(url, key);
		const rounds = Number(trial.option("rounds"));
		for (let round = 1; round <= rounds; round++) {
			for (const [place, node] of nodes.entries()) {
				await sleep(1500);
				assert.equal((await node.stop()).code, 0);
				nodes[place] = await startProgram(trial, { ...environment, PORT: new URL(node.url).port });
			}
			trial.say(`round ${round}: ${ledger.acknowledged.size} creates, ${lists.statuses.get(200)} lists`);
		}
		await sleep(1500);
		await stop();
		await lists.stop();
		assert.deepEqual([...lists.statuses.keys()], [200], JSON.stringify([...lists.statuses]));
		ledger.verify(await listAll(url, key));
		for (const node of nodes) node.process.kill("SIGKILL");
		await Promise.all(nodes.map(({ finished }) => finished));
		const headers = { authorization: `Bearer ${key}` };
		const refused = await fetch(`${url}/v1/pets`, { headers });
		const { code, status } = (await refused.json()) as { code: string; status: number };
		assert.deepEqual([refused.status, code, status], [503, "storage_unavailable", 503]);
		const figures = { acknowledged: ledger.acknowledged.size, lists: lists.statuses.get(200) };
		return { ...figures, failed: 0, restarts: rounds * nodes.length };
	},
};

/** Eight clients that list over a new connection each time, until they are stopped. */
function startLists(url: string, key: string) {
	const statuses = new Map<number, number>();
	let isStopped = false;
	const headers = { authorization: `Bearer ${key}` };
	async function client(): Promise<void> {
		while (!isStopped) {
			const request = get(`${url}/v1/pets`, { headers, agent: false });
			const [reply]: IncomingMessage[] = await once(request, "response");
			await reply?.toArray();
			const status = reply?.statusCode ?? 0;
			statuses.set(status, (statuses.get(status) ?? 0) + 1);
		}
	}
	const work = Promise.all(Array.from({ length: 8 }, client));
	work.catch(() => {});
	const stop = () => {
		isStopped = true;
		return work;
	};
	return { statuses, stop };
}

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
