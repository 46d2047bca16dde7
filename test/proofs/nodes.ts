// Two nodes of one store on one port: SIGKILL of one after the other, many times; SIGTERM of one under new connections; and stops
// of both at the same moment.

import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { Agent } from "node:http";
import { post } from "../crash-proof.ts";
import { attempt } from "../full-disk.ts";
import { proveNodeCrashes } from "../nodes-proof.ts";
import { freePort } from "../postgres-server.ts";
import { type Running, startProgram } from "../program.ts";
import { linux, newDatabase, newStore, type Proof, type TrialStore } from "../proof.ts";
import { until } from "../until.ts";

export const proof: Proof = {
	shows: "an acknowledged animal survives every SIGKILL of one of two nodes, and nodes that stop at once leave no log",
	needs: [linux],
	options: {
		"node-kills": { default: "100", text: "how often a node is killed, for each engine" },
		stops: { default: "50", text: "how often both nodes of an embedded store are stopped at once, and one under load" },
	},
	async prove(trial) {
		async function prove({ environment, key }: TrialStore) {
			const shared = { ...environment, REUSE_PORT: "true", PORT: String(await freePort()) };
			const start = () => startProgram(trial, shared);
			const kills = Number(trial.option("node-kills"));
			const { proven, nodes } = await proveNodeCrashes({ start, key, kills, seed: trial.seed, onProgress: trial.say });
			await stopAtOnce(nodes);
			return { proven, start, key };
		}
		const sqlite = await prove(await newStore("nodes", trial.folder));
		const stops = Number(trial.option("stops"));
		const underLoad = await stopUnderLoad(sqlite, stops);
		for (let stop = 1; stop <= stops; stop++) {
			await stopAtOnce(await Promise.all([sqlite.start(), sqlite.start()]));
			assert.ok(!existsSync(`${trial.folder}/nodes.db-wal`), `stop ${stop} left a log`);
		}
		const postgres = await prove(await newDatabase(trial));
		return { seed: trial.seed, sqlite: sqlite.proven, stops, underLoad, postgres: postgres.proven };
	},
};

async function stopAtOnce(nodes: Running[]): Promise<void> {
	for (const { process } of nodes) process.kill("SIGTERM");
	for (const { finished } of nodes) assert.equal((await finished).code, 0);
}

/** Clients connect anew for each create while one node after the other stops: connections that it had not accepted are reset. */
async function stopUnderLoad({ start, key }: { start: () => Promise<Running>; key: string }, stops: number) {
	const nodes = await Promise.all([start(), start()]);
	const migrates = readFileSync("/proc/sys/net/ipv4/tcp_migrate_req", "utf8").trim() === "1";
	let [replies, resets, isStopped] = [0, 0, false];
	const client = async () => {
		const agent = new Agent({ keepAlive: false });
		while (!isStopped) {
			const answer = await post(String(nodes[0]?.url), key, agent, attempt(replies)).catch((error) => error.code);
			if (answer === "ECONNRESET") resets++;
			else assert.ok([201, 503].includes(answer.status), JSON.stringify(answer));
			replies++;
		}
	};
	const clients = Promise.all(Array.from({ length: 16 }, client));
	for (let stop = 0; stop < stops; stop++) {
		const enough = replies + 100;
		await Promise.race([clients, until("100 replies", () => replies >= enough)]);
		await stopAtOnce([nodes[stop % 2] as Running]);
		nodes[stop % 2] = await start();
	}
	isStopped = true;
	await clients;
	await stopAtOnce(nodes);
	assert.ok(!migrates || resets === 0, `${resets} resets, although the kernel gives connections to the other node`);
	return { tcpMigrateReq: migrates, replies, resets };
}
