// Two nodes behind nginx, Caddy and HAProxy, with the configurations of docs/proxies.md. The loop of docs/debian.md
// restarts the nodes under load, again and again, without a pause. No client repeats a request.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { Agent, createServer } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { ask } from "../support/caller.ts";
import { blockOf } from "../support/document-blocks.ts";
import { listAll } from "../support/ledger.ts";
import { listenFor } from "../support/listen.ts";
import { startMixedLoad, startSteadyLoad } from "../support/mixed-load.ts";
import { freePort } from "../support/postgres-server.ts";
import { type Running, startProgram } from "../support/program.ts";
import { newDatabase, type Proof, program, type Trial } from "../support/proof.ts";
import { startReaders } from "../support/readers.ts";
import { exchange } from "../support/wire.ts";
import { type ProxyProgram, proxies, startProxy } from "./proxies.ts";

export const proof: Proof = {
	shows: "behind nginx, Caddy and HAProxy two nodes are restarted under load thirty times, and no request fails",
	needs: [...proxies.map(({ name }) => program(name)), program("curl")],
	options: {
		rounds: { default: "30", text: "restarts of each node" },
		proxy: { default: "", text: `only one of ${proxies.map(({ name }) => name).join(", ")}` },
	},
	async prove(trial) {
		const only = trial.option("proxy");
		const figures: Record<string, object> = {};
		for (const proxy of proxies.filter(({ name }) => !only || name === only))
			figures[proxy.name] = { ...(await restartBehind(proxy, trial)), frozen: await freezeBehind(proxy, trial) };
		return figures;
	},
};

async function restartBehind(proxy: ProxyProgram, trial: Trial): Promise<object> {
	const { nodes, url, key } = await start(proxy, trial);
	const { ledger, acknowledges, stop } = startSteadyLoad([url], key);
	const kept = new Agent({ keepAlive: true });
	// Every second client opens a new connection for each request.
	const list = (place: number) => ask(`${url}/v1/pets`, { key, ...(place % 2 === 0 && { agent: kept }) });
	const lists = startReaders(8, list);
	const rounds = Number(trial.option("rounds"));
	for (let round = 1; round <= rounds; round++) {
		await nodes.restart();
		await acknowledges(1);
		trial.say(`${proxy.name}, round ${round}: ${ledger.acknowledged.size} creates, ${JSON.stringify(lists.statuses)}`);
	}
	await stop();
	await lists.stop();
	kept.destroy();
	assert.deepEqual(Object.keys(lists.statuses), ["200"], JSON.stringify(lists.statuses));
	ledger.verify(await listAll(url, key));
	for (const node of await nodes.running()) await node.stop();
	return { acknowledged: ledger.acknowledged.size, lists: lists.statuses[200], restarts: rounds * 2 };
}

/**
 * First one of two nodes is frozen, while its kernel still accepts connections; later both nodes are killed.
 * @returns the time of the slowest reply, and the number of replies by status
 */
async function freezeBehind(proxy: ProxyProgram, trial: Trial): Promise<object> {
	const { nodes, url, key } = await start(proxy, trial);
	const running = await nodes.running();
	const load = startMixedLoad([url], key, { clients: 16 });
	await load.acknowledges(50);
	running[0]?.process.kill("SIGSTOP");
	await sleep(frozenMs);
	running[0]?.process.kill("SIGCONT");
	await load.acknowledges(50);
	await load.stop();
	load.ledger.verify(await listAll(url, key));
	const slowestMs = Math.round(load.slowestMs);
	for (const node of running) await node.stop("SIGKILL");
	const refused = await ask(`${url}/v1/pets`, { key });
	assert.deepEqual([refused.status, refused.headers["retry-after"]], [503, "1"]);
	assert.match(refused.body, /^{"code":"storage_unavailable",.*"status":503}$/);
	if (proxy.name === "nginx") await assertOwnErrors(Number(new URL(url).port));
	assert.ok(slowestMs < frozenMs - 5000, `a request took ${slowestMs} ms`);
	return { slowestMs, ...Object.fromEntries(load.statuses) };
}

/** Asserts that nginx refuses these requests itself, each with the right error code. */
async function assertOwnErrors(port: number): Promise<void> {
	const long = "a".repeat(20_000);
	const requests = {
		malformed_request: ["bad\r\n\r\n", "GET / HTTP/1.1\r\n\r\n", "GET / HTTP/9.9\r\n\r\n"],
		uri_too_long: [`GET /${long} HTTP/1.1\r\nHost: a\r\n\r\n`],
		headers_too_large: [`GET / HTTP/1.1\r\nHost: a\r\nX: ${long}\r\n\r\n`],
		body_too_large: ["POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9000000\r\n\r\n"],
		method_not_allowed: ["TRACE / HTTP/1.1\r\nHost: a\r\n\r\n"],
	};
	for (const [code, all] of Object.entries(requests)) {
		for (const bytes of all) {
			const [reply] = await exchange(port, bytes.replace("\r\n\r\n", "\r\nConnection: close\r\n\r\n"));
			const error = JSON.parse(reply?.body ?? "");
			assert.deepEqual([error.code, error.status, typeof error.message], [code, reply?.status, "string"]);
		}
	}
}

async function start(proxy: ProxyProgram, trial: Trial) {
	const { key, environment } = await newDatabase(trial);
	const { STOP_DELAY, pause } = asDocumented[proxy.name];
	const nodes = await startNodes(trial, { ...environment, STOP_DELAY }, pause);
	return { nodes, url: await startProxy(proxy, nodes.hosts, trial), key };
}

/** Advice of docs/proxies.md below the configurations: `STOP_DELAY`, and what to add to the end of the loop. */
const asDocumented: Record<ProxyProgram["name"], { STOP_DELAY: string; pause: string }> = {
	nginx: { STOP_DELAY: "0s", pause: "" },
	caddy: { STOP_DELAY: "2s", pause: "sleep 1\n" },
	haproxy: { STOP_DELAY: "2s", pause: "" },
};

/** How long a node stays frozen: longer than any proxy may wait for a reply. */
const frozenMs = 20_000;

/** Two nodes on separate ports, and the loop of docs/debian.md, which restarts them as if they were systemd units. */
async function startNodes(trial: Trial, environment: Record<string, string>, pause: string) {
	const nodes = new Map<string, { start(): Promise<Running>; running: Promise<Running> }>();
	const hosts: string[] = [];
	for (const _ of [1, 2]) {
		const [PORT, OPS_PORT] = [String(await freePort()), String(await freePort())];
		const start = () => startProgram(trial, { ...environment, PORT, OPS_PORT });
		nodes.set(OPS_PORT, { start, running: start() });
		await nodes.get(OPS_PORT)?.running;
		hosts.push(`127.0.0.1:${PORT}`);
	}
	/** Restarts a node like a unit with Type=exec: the reply does not wait until the new process listens. */
	const systemd = createServer(async ({ url = "" }, response) => {
		const node = nodes.get(url.slice(1));
		const ended = await (await node?.running)?.stop();
		response.statusCode = ended?.code === 0 ? 200 : 500;
		if (node) node.running = node.start();
		response.end();
	});
	const port = await listenFor(trial, systemd);
	const loop = blockOf("docs/debian.md", "systemctl list-units", {
		"systemctl list-units --plain --no-legend 'animal-store*.service'": `printf '%s\\n' ${[...nodes.keys()].join(" ")}`,
		'systemctl restart "$node"': `curl --silent --fail --request POST "http://127.0.0.1:${port}/$node"`,
	}).replace(/^done$/m, `${pause}done`);
	async function restart(): Promise<void> {
		const shell = spawn("bash", ["-euc", loop], { stdio: ["ignore", "ignore", "inherit"] });
		const [code] = await once(shell, "exit");
		assert.equal(code, 0, "the loop of docs/debian.md succeeds");
	}
	return { hosts, restart, running: () => Promise.all([...nodes.values()].map(({ running }) => running)) };
}
