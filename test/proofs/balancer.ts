// Three nodes behind nginx, Caddy and HAProxy, as deploy and docs/proxies.md configure them. Each node is restarted under
// load, again and again. No client repeats a request.

import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { get, type IncomingMessage } from "node:http";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { configurationOf } from "../support/document-blocks.ts";
import { listAll } from "../support/ledger.ts";
import { startSteadyLoad } from "../support/mixed-load.ts";
import { freePort } from "../support/postgres-server.ts";
import { startProgram } from "../support/program.ts";
import { newDatabase, type Proof, program, type Trial } from "../support/proof.ts";
import { until } from "../support/until.ts";
import { type ProxyProgram, proxies, spawnProxy } from "./proxies.ts";

export const proof: Proof = {
	shows: "behind nginx, Caddy and HAProxy each of three nodes is restarted under load ten times, and no request fails",
	needs: proxies.map(({ name }) => program(name)),
	options: {
		rounds: { default: "10", text: "restarts of each node" },
		proxy: { default: "", text: `only one of ${proxies.map(({ name }) => name).join(", ")}` },
	},
	async prove(trial) {
		const only = trial.option("proxy");
		const figures: Record<string, object> = {};
		for (const proxy of proxies.filter(({ name }) => !only || name === only))
			figures[proxy.name] = await restartBehind(proxy, trial);
		return figures;
	},
};

async function restartBehind(proxy: ProxyProgram, trial: Trial): Promise<object> {
	const { key, ...store } = await newDatabase(trial);
	const environment = { ...store.environment, STOP_DELAY: proxy.name === "caddy" ? "2s" : "0s" };
	const nodes = await Promise.all([1, 2, 3].map(() => startProgram(trial, environment)));
	const hosts = nodes.map(({ url }) => new URL(url).host);
	const url = await startBalancer(proxy, hosts, trial);
	const { ledger, stop } = startSteadyLoad([url], key);
	const lists = startLists(url, key);
	const rounds = Number(trial.option("rounds"));
	for (let round = 1; round <= rounds; round++) {
		for (const [place, node] of nodes.entries()) {
			await sleep(1500);
			assert.equal((await node.stop()).code, 0);
			nodes[place] = await startProgram(trial, { ...environment, PORT: new URL(node.url).port });
		}
		trial.say(`${proxy.name}, round ${round}: ${ledger.acknowledged.size} creates, ${lists.statuses.get(200)} lists`);
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
	assert.match(`${refused.status} ${await refused.text()}`, whenAllAreDown[proxy.name]);
	return { acknowledged: ledger.acknowledged.size, lists: lists.statuses.get(200), restarts: rounds * 3 };
}

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

const whenAllAreDown: Record<ProxyProgram["name"], RegExp> = {
	nginx: /^503 {"code":"storage_unavailable",.*"status":503}$/,
	// The first answer about a node that it does not yet know to be down is 502.
	caddy: /^50[23] /,
	haproxy: /^503 /,
};

/** The configurations that are shipped or documented, with these nodes, and without TLS. */
const configurations: Record<ProxyProgram["name"], (port: number, nodes: string[]) => string> = {
	nginx: (port, nodes) =>
		readFileSync(new URL("../../deploy/nginx.conf", import.meta.url), "utf8")
			.replace("listen 8080", `listen 127.0.0.1:${port}`)
			.replace(/node-(\d):8080/g, (_, number) => nodes[number - 1] ?? ""),
	caddy: (port, nodes) =>
		configurationOf("docs/proxies.md", "caddy", {
			"pets.example.com {": `http://127.0.0.1:${port} {`,
			"127.0.0.1:8080": nodes.join(" "),
		}),
	haproxy: (port, nodes) =>
		configurationOf("docs/proxies.md", "haproxy", {
			"bind :443 ssl crt /etc/ssl/pets-and-key.pem": `bind 127.0.0.1:${port}`,
			"server node 127.0.0.1:8080": nodes.map((node, number) => `server node-${number} ${node}`).join("\n    "),
		}),
};

/** Starts a proxy in front of these nodes. @returns its URL */
async function startBalancer(proxy: ProxyProgram, nodes: string[], trial: Trial): Promise<string> {
	const port = await freePort();
	const folder = join(trial.folder, proxy.name);
	mkdirSync(folder);
	const text = configurations[proxy.name](port, nodes);
	const file = join(folder, "config");
	writeFileSync(file, proxy.name === "nginx" ? text : proxy.config(text));
	const balancer = spawnProxy(proxy, file, folder, trial);
	const url = `http://127.0.0.1:${port}`;
	await until(`${proxy.name} to answer`, () => {
		balancer.assertRuns();
		return fetch(`${url}/livez`).then(
			({ status }) => status === 200,
			() => false,
		);
	});
	return url;
}
