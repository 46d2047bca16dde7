// Failovers of a synchronous Patroni cluster under two nodes, which reach the primary through HAProxy.

import assert from "node:assert/strict";
import { keepingCaller } from "../support/histories.ts";
import { listAll } from "../support/ledger.ts";
import { startMixedLoad } from "../support/mixed-load.ts";
import { startPoller } from "../support/page-poller.ts";
import { type Cluster, startCluster } from "../support/patroni.ts";
import { startProgram } from "../support/program.ts";
import { type Proof, program, type Trial, withKey } from "../support/proof.ts";
import { postgresTools } from "./pg-backup.ts";

export const proof: Proof = {
	shows: "failovers of a synchronous Patroni cluster lose, repeat and reorder no acknowledged animal, and end no node",
	needs: [program("patroni"), program("etcd", "etcd-server"), program("haproxy"), postgresTools],
	options: { failovers: { default: "3", text: "kills of the primary" } },
	async prove(trial) {
		const cluster = await startCluster(trial);
		await cluster.synchronous();
		const { environment, key } = await withKey(`postgres://animals:animals@${cluster.balancer}/postgres`);
		const nodes = await Promise.all([startProgram(trial, environment), startProgram(trial, environment)]);
		const urls = nodes.map(({ url }) => url);
		const load = startMixedLoad(urls, key);
		const poller = startPoller(urls, key);
		const callers = nodes.map((service) => keepingCaller({ service, key, sql: async () => [] }, 100));
		const pauses = await failOver(cluster, { load, poller, callers }, trial);
		await load.stop();
		const animals = await listAll(urls[0] ?? "", key);
		for (const list of callers)
			assert.deepEqual(
				await list(),
				animals.map(({ id, name }) => `${id} ${name}`),
				"callers that keep pages with their ETags see the same",
			);
		load.ledger.verify(animals);
		const polled = await poller.stop(animals.length);
		assert.deepEqual(
			polled,
			animals.map(({ id }) => Number(id)),
			"a client that polls the last page sees every animal, in order",
		);
		for (const { process } of nodes) {
			assert.equal(process.exitCode, null, "no node ended");
			process.kill("SIGTERM");
		}
		await Promise.all(nodes.map(({ finished }) => finished));
		const { acknowledged, unknown } = load.ledger;
		const names = new Set(animals.map(({ name }) => name));
		const unknownKept = [...unknown.keys()].filter((name) => names.has(name)).length;
		const refused = load.statuses.get(503) ?? 0;
		return { acknowledged: acknowledged.size, refused, unknown: unknown.size, unknownKept, ...pauses };
	},
};

interface Clients {
	load: ReturnType<typeof startMixedLoad>;
	poller: ReturnType<typeof startPoller>;
	/** Callers that list all animals before each failover. */
	callers: ReturnType<typeof keepingCaller>[];
}

/** @returns the longest time without creates and without reads around each failover */
async function failOver(cluster: Cluster, { load, poller, callers }: Clients, trial: Trial) {
	const withoutCreatesMs: number[] = [];
	const withoutReadsMs: number[] = [];
	for (let failover = 1; failover <= Number(trial.option("failovers")); failover++) {
		const lost = await cluster.synchronous();
		await load.acknowledges(300);
		await Promise.all(callers.map((list) => list()));
		load.longestPauseMs = 0;
		poller.longestPauseMs = 0;
		await cluster.kill(lost);
		await load.acknowledges(300, { withinMs: 120_000 });
		withoutCreatesMs.push(Math.round(load.longestPauseMs));
		withoutReadsMs.push(Math.round(poller.longestPauseMs));
		trial.say(`without creates for ${withoutCreatesMs.at(-1)} ms, without reads for ${withoutReadsMs.at(-1)} ms`);
		cluster.restart(lost);
	}
	await cluster.synchronous();
	return { withoutCreatesMs, withoutReadsMs };
}
