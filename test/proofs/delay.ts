// Nodes with a slow network to their database: creates per second, with and without Idempotency-Keys. No node may make
// the others wait for its round trips, and a key may not need a round trip.

import assert from "node:assert/strict";
import { Agent } from "node:http";
import { connect, createServer, type Socket } from "node:net";
import pg from "pg";
import { post } from "../support/create.ts";
import type { Attempt } from "../support/ledger.ts";
import { listenFor } from "../support/listen.ts";
import { type Running, startProgram } from "../support/program.ts";
import { newDatabase, type Proof, type Trial, type TrialStore } from "../support/proof.ts";
import { figureOf } from "../support/scrape.ts";
import { runSql } from "../support/sql.ts";

/** Clients of each node, which send their next create after the reply to the previous one. */
const clients = 20;
const fleets = [1, 3, 5];
const roundTripsMs = [0, 1, 10, 50];
/** Turns of each load. Other programs that disturb some of them do not change the median. */
const turns = 8;
const keyedShareMin = 0.7;
const growthMin = 3;

/**
 * Keys of a store in use: before its first analysis PostgreSQL assumes that the table of keys is small, and reads all
 * of it for each batch.
 */
const usedKeys = `INSERT INTO idempotency_keys (caller, key, pet_id, fingerprint, created_at_ms)
	SELECT 'earlier', 'key-' || number, number, sha256(number::text::bytea)::text, extract(epoch FROM now()) * 1000
	FROM generate_series(1, 100000) AS number`;

interface Figures {
	perSecond: number;
	p50Ms: number;
	p99Ms: number;
	batchesPerSecond: number;
}

interface Row {
	roundTripMs: number;
	nodes: number;
	plain: Figures;
	keyed: Figures;
	/** Keyed creates per plain create. */
	keyedShare: number;
}

export const proof: Proof = {
	shows:
		"a slow network to the database: 5 nodes create 3 times as much as one at 10 ms, and keyed creates 0.7 of plain ones",
	options: { seconds: { default: "2", text: "duration of each of the 24 loads" } },
	async prove(trial) {
		const store = await newDatabase(trial);
		await runSql(store.environment.DATABASE_URL, usedKeys);
		await runSql(store.environment.DATABASE_URL, "ANALYZE");
		const seconds = Number(trial.option("seconds"));
		const rows: Row[] = [];
		for (const roundTripMs of roundTripsMs) {
			const nodes = await startNodes(trial, store, roundTripMs);
			for (const size of fleets) {
				const row = { roundTripMs, nodes: size, ...(await measure(nodes.slice(0, size), store, seconds)) };
				trial.say(lineOf(row));
				rows.push(row);
			}
			for (const node of nodes) node.process.kill("SIGKILL");
		}
		check(rows);
		return { clients, seconds, rows };
	},
};

async function startNodes(trial: Trial, { environment }: TrialStore, roundTripMs: number): Promise<Running[]> {
	const link = await slowLink(trial, environment.DATABASE_URL, roundTripMs);
	const client = new pg.Client({ connectionString: link.url });
	await client.connect();
	const times: number[] = [];
	for (let turn = 0; turn < 20; turn++) {
		const startedAtMs = performance.now();
		await client.query("SELECT 1");
		times.push(performance.now() - startedAtMs);
	}
	await client.end();
	trial.say(`a statement takes ${quantile(times, 0.5).toFixed(2)} ms over the network of ${roundTripMs} ms`);
	const count = Math.max(...fleets);
	return Promise.all(Array.from({ length: count }, () => startProgram(trial, { DATABASE_URL: link.url })));
}

/** Plain and keyed creates in turns, so that other programs of the machine disturb both. */
async function measure(nodes: Running[], store: TrialStore, seconds: number) {
	const loads = { plain: newLoad(), keyed: newLoad() };
	await run(nodes, store, 0.3, newLoad(), true);
	for (let turn = 0; turn < turns; turn++)
		for (const kind of turn % 2 === 0 ? (["plain", "keyed"] as const) : (["keyed", "plain"] as const))
			await run(nodes, store, seconds / turns, loads[kind], kind === "keyed");
	const [plain, keyed] = [figuresOf(loads.plain), figuresOf(loads.keyed)];
	const shares = loads.keyed.perSecond.map((perSecond, turn) => perSecond / (loads.plain.perSecond[turn] ?? 0));
	return { plain, keyed, keyedShare: Number(quantile(shares, 0.5).toFixed(2)) };
}

const newLoad = () => ({ timesMs: [] as number[], perSecond: [] as number[], batches: 0, tookMs: 0 });
type Load = ReturnType<typeof newLoad>;
let number = 0;

async function run(nodes: Running[], { environment, key }: TrialStore, seconds: number, load: Load, isKeyed: boolean) {
	const agent = new Agent({ keepAlive: true });
	const before = await readState(nodes, environment.DATABASE_URL);
	const startedAtMs = performance.now();
	const endMs = startedAtMs + seconds * 1000;
	let created = 0;
	async function client(url: string): Promise<void> {
		while (performance.now() < endMs) {
			const sentAtMs = performance.now();
			const { status, body } = await post(url, key, agent, newAttempt(isKeyed));
			assert.equal(status, 201, body);
			load.timesMs.push(performance.now() - sentAtMs);
			created++;
		}
	}
	await Promise.all(nodes.flatMap(({ url }) => Array.from({ length: clients }, () => client(url))));
	const tookMs = performance.now() - startedAtMs;
	load.tookMs += tookMs;
	load.perSecond.push((created * 1000) / tookMs);
	agent.destroy();
	const after = await readState(nodes, environment.DATABASE_URL);
	load.batches += after.batches - before.batches;
	assert.equal(after.pets - before.pets, created, "each reply is for one animal, and there are no others");
}

function newAttempt(isKeyed: boolean): Attempt {
	const name = `animal ${number++}`;
	return { pet: { name, categoryId: 1n }, idempotencyKey: isKeyed ? `key-${number}` : undefined };
}

async function readState(nodes: Running[], databaseUrl: string): Promise<{ batches: number; pets: number }> {
	const [row] = await runSql(databaseUrl, "SELECT count(*)::integer AS pets FROM pets");
	const batches = await Promise.all(nodes.map((node) => figureOf(node, "animal_store_batch_writes_count")));
	return { batches: batches.reduce((sum, count) => sum + count, 0), pets: Number(row?.["pets"]) };
}

function figuresOf({ timesMs, batches, tookMs }: Load): Figures {
	const perSecond = (count: number) => Math.round((count * 1000) / tookMs);
	return {
		perSecond: perSecond(timesMs.length),
		p50Ms: Number(quantile(timesMs, 0.5).toFixed(1)),
		p99Ms: Number(quantile(timesMs, 0.99).toFixed(1)),
		batchesPerSecond: perSecond(batches),
	};
}

function quantile(values: number[], share: number): number {
	const sorted = values.toSorted((a, b) => a - b);
	return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

/** A line of the table that this proof prints. */
function lineOf({ roundTripMs, nodes, plain, keyed, keyedShare }: Row): string {
	const cells = [plain, keyed].flatMap(({ perSecond, p50Ms, p99Ms, batchesPerSecond }) => [
		perSecond.toLocaleString("en"),
		`${p50Ms} / ${p99Ms}`,
		batchesPerSecond.toLocaleString("en"),
	]);
	return `| ${[roundTripMs, nodes, ...cells, keyedShare].join(" | ")} |`;
}

function check(rows: Row[]): void {
	for (const { roundTripMs, nodes, keyedShare } of rows)
		assert.ok(
			keyedShare >= keyedShareMin,
			`${nodes} nodes at ${roundTripMs} ms: keyed creates are ${keyedShare} of plain ones`,
		);
	const at = (size: number) => rows.find(({ roundTripMs, nodes }) => roundTripMs === 10 && nodes === size);
	for (const kind of ["plain", "keyed"] as const) {
		const growth = (at(5)?.[kind].perSecond ?? 0) / (at(1)?.[kind].perSecond ?? 0);
		assert.ok(growth >= growthMin, `at 10 ms, 5 nodes make ${growth} times the ${kind} creates of one`);
	}
}

interface SlowLink {
	/** The URL with the proxy's address. */
	url: string;
	/** Breaks all connections that are open now. */
	cut(): void;
}

export async function slowLink(
	context: { after(cleanUp: () => void): void },
	url: string,
	roundTripMs: number,
): Promise<SlowLink> {
	const target = new URL(url);
	const sockets = new Set<Socket>();
	const server = createServer((near) => {
		const far = connect(Number(target.port), target.hostname);
		for (const [from, to] of [
			[near, far],
			[far, near],
		] as const) {
			const later = delay(roundTripMs / 2);
			sockets.add(from.setNoDelay(true));
			from.on("data", (bytes) => later(() => to.write(bytes)));
			from.on("close", () => {
				sockets.delete(from);
				later(() => to.destroy());
			});
			from.on("error", () => {});
		}
	});
	const port = String(await listenFor(context, server));
	const cut = () => {
		for (const socket of sockets) socket.destroy();
		sockets.clear();
	};
	context.after(cut);
	return { url: Object.assign(new URL(url), { port }).href, cut };
}

/** Delays actions, in order. Node's timers have whole milliseconds; the rest is a busy wait. */
function delay(ms: number): (action: () => void) => void {
	const waiting: { dueMs: number; action: () => void }[] = [];
	function run(): void {
		while (waiting[0] && waiting[0].dueMs <= performance.now()) waiting.shift()?.action();
		if (waiting[0]) wakeAt(waiting[0].dueMs);
	}
	function wakeAt(dueMs: number): void {
		const leftMs = dueMs - performance.now();
		if (leftMs >= 1) setTimeout(run, leftMs);
		else setImmediate(run);
	}
	return (action) => {
		if (ms === 0) return action();
		waiting.push({ dueMs: performance.now() + ms, action });
		if (waiting.length === 1) wakeAt(waiting[0]?.dueMs ?? 0);
	};
}
