// `npm run bench` measures the service under load and its yardsticks in one run, because only ratios of one run can be
// compared. Options: `--seconds N` per measurement, `--animals N`, `--only get` for the scenarios with that word in
// their name, and `--against DIR` to measure another checkout in turn with this one. `--engine postgres` starts a
// PostgreSQL server, adds a second node, and compares the store with a loop of raw statements.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { cpus, tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import pg from "pg";
import { startPostgres } from "../test/postgres-server.ts";
import { type Comparison, compareWithRaw } from "./compare-with-raw.ts";
import { fill } from "./fill.ts";
import { hasWrk, type Load, measure, onCore, type Result } from "./load.ts";

const { values } = parseArgs({
	options: {
		only: { type: "string", default: "" },
		against: { type: "string", default: "" },
		engine: { type: "string", default: "sqlite" },
		seconds: { type: "string", default: "8" },
		animals: { type: "string", default: "1000000" },
	},
});
const seconds = Number(values.seconds);
const animals = Number(values.animals);
const folder = mkdtempSync(join(tmpdir(), "animal-store-bench-"));
const server = values.engine === "postgres" ? await startPostgres(["-c", "max_connections=300"]) : undefined;
const databaseUrl = server ? `${server.url}/postgres` : `sqlite:${join(folder, "animals.db")}`;
const environment = { DATABASE_URL: databaseUrl, PORT: "0", OPS_PORT: "0" };
const ours = "animal-store";
const bare = "bare node:http";
const newPet = { name: "Rex", categoryId: 1, status: "available" };
const oneNode = "one node, 8,000/s";
const twoNodes = "two nodes, 8,000/s each";
/** The other checkout's own store, because its schema may be another one. */
const againstUrl = server ? `${server.url}/against` : `sqlite:${join(folder, "against.db")}`;
const running = new Set<ChildProcess>();
let serversStarted = 0;
const rows: ({ what: string; who: string } & Result)[] = [];

try {
	const key = await fill(databaseUrl, animals);
	const againstKey = values.against && (await fillAgainst());
	if (server) console.log(`They take ${await bytesEach()} bytes each, indexes and all.`);
	const service = await start(["bin/animal-store.js", "serve"], environment);
	const pets = `${service.url}/v1/pets`;
	const loads = await loadsFor(service, key);
	const measured = Object.keys(loads).filter((what) => what.includes(values.only));
	for (const what of measured) await compare(what, service, loads[what] as Load);
	if (againstKey) await takeTurns(measured, service, loads, againstKey);
	const body = JSON.stringify(newPet);
	const measuresCreate = "create".includes(values.only);
	if (server) {
		const second = await start(["bin/animal-store.js", "serve"], environment, 1);
		const secondPets = `${second.url}/v1/pets`;
		const paced = { key, connections: 64, seconds, perSecond: 8000 };
		for (const [what, load] of [
			["get", { ...paced, url: `${pets}/ID`, maxId: animals }],
			["create", { ...paced, url: pets, body }],
		] as const) {
			if (!what.includes(values.only)) continue;
			const loads = [
				{ pid: service.pid, load },
				{ pid: second.pid, load: { ...load, url: load.url.replace(pets, secondPets) } },
			];
			for (const [who, nodes] of [
				[oneNode, loads.slice(0, 1)],
				[twoNodes, loads],
			] as const) {
				process.stderr.write(`measuring ${what}: ${who} …\n`);
				rows.push({ what, who, ...(await measure(nodes, server.pids)) });
			}
		}
		await stop(second.process);
	}
	await stop(service.process);
	const comparisons = server && (await compareWithRaw(databaseUrl, { animals, seconds, only: values.only }));

	const naive = await start(["bench/naive.ts", server ? databaseUrl : `sqlite:${join(folder, "naive.db")}`], {});
	const naivePets = `${naive.url}/v1/pets`;
	const toNaive = { key: naive.key ?? "", connections: 64, seconds };
	if (server && "list of 20".includes(values.only))
		await record("list of 20", "one each", naive, { ...toNaive, url: naivePets });
	if (server && "get".includes(values.only))
		await record("get", "one each", naive, { ...toNaive, url: `${naivePets}/ID`, maxId: animals });
	if (measuresCreate) await record("create", "one each", naive, { ...toNaive, body, url: naivePets });
	await stop(naive.process);
	report(comparisons);
} finally {
	for (const child of running) child.kill("SIGKILL");
	await server?.remove();
	rmSync(folder, { recursive: true, force: true });
}

/** Fills the other checkout's store with its own code. @returns its key */
async function fillAgainst(): Promise<string> {
	if (server) {
		const client = new pg.Client({ connectionString: databaseUrl });
		await client.connect();
		await client.query("CREATE DATABASE against").finally(() => client.end());
	}
	const other = await import(pathToFileURL(resolve(values.against, "bench/fill.ts")).href);
	return (other as { fill: typeof fill }).fill(againstUrl, animals);
}

/** The load of each scenario for a service. */
async function loadsFor({ url }: Started, key: string): Promise<Record<string, Load>> {
	const pets = `${url}/v1/pets`;
	const load = { key, connections: 64, seconds, url: pets };
	const end = await deepCursor(pets, key, "limit=20");
	const deep = await deepCursor(pets, key, "status=sold&limit=100");
	return {
		"list of 20": load,
		"list of 20 at the end": { ...load, url: `${pets}?cursor=${end}` },
		"list of 100, filtered, deep": { ...load, url: `${pets}?status=sold&limit=100&cursor=${deep}` },
		get: { ...load, url: `${pets}/ID`, maxId: animals },
		create: { ...load, body: JSON.stringify(newPet) },
	};
}

/** The size of the database per animal. */
async function bytesEach(): Promise<string> {
	const client = new pg.Client({ connectionString: databaseUrl });
	await client.connect();
	const { rows } = await client.query("SELECT pg_total_relation_size('pets') AS bytes").finally(() => client.end());
	return (Number(rows[0].bytes) / animals).toFixed(0);
}

interface Started {
	process: ChildProcess;
	pid: number;
	url: string;
	key?: string;
}

/** Starts a server on one core; its first line of JSON has its address. */
async function start(parameters: string[], environment: Record<string, string>, core = 0): Promise<Started> {
	const [program = "", ...rest] = onCore(core, [process.execPath, ...parameters]);
	const log = join(folder, `log-${serversStarted++}`);
	const output = openSync(log, "w");
	const child = spawn(program, rest, { env: { ...process.env, ...environment }, stdio: ["ignore", output, "inherit"] });
	closeSync(output);
	running.add(child);
	child.once("exit", () => running.delete(child));
	for (;;) {
		const [line = "", isWhole] = readFileSync(log, "utf8").split("\n");
		if (isWhole !== undefined) return { process: child, pid: child.pid as number, ...JSON.parse(line) };
		if (child.exitCode !== null) throw new Error(`${parameters[0]} ended before it listened`);
		await sleep(20);
	}
}

async function stop(child: ChildProcess): Promise<void> {
	child.kill("SIGTERM");
	await once(child, "exit");
}

/** Saves one reply of the service for bare node:http to repeat. Node itself adds Date and the connection headers. */
async function keepReply({ url, key, body, maxId }: Load, file: string): Promise<void> {
	const method = body ? { method: "POST", body } : {};
	const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
	const reply = await fetch(url.replace("ID", String(maxId)), { ...method, headers });
	const own = [...reply.headers].filter(([name]) => !["date", "connection", "keep-alive"].includes(name));
	writeFileSync(
		file,
		JSON.stringify({ status: reply.status, headers: Object.fromEntries(own), body: await reply.text() }),
	);
}

/** A cursor nine tenths down the list, found by walking the pages. */
async function deepCursor(pets: string, key: string, query: string): Promise<string> {
	let url: string | undefined = `${pets}?${query.replace(/limit=\d+/, "limit=100")}`;
	let cursor = "";
	for (let page = 0; url && page < animals / 100; page++) {
		const reply = await fetch(url, { headers: { authorization: `Bearer ${key}` } });
		await reply.text();
		url = /<([^>]+)>; rel="next"/.exec(reply.headers.get("link") ?? "")?.[1];
		cursor = (url && new URL(url).searchParams.get("cursor")) || cursor;
	}
	return cursor;
}

/** The service and, right after it, bare node:http with the same bytes, headers and all. */
async function compare(what: string, service: Started, load: Load): Promise<void> {
	await record(what, ours, service, load);
	const file = join(folder, "reply.json");
	await keepReply(load, file);
	const yardstick = await start(["bench/bare.ts", file], {});
	await record(what, bare, yardstick, { ...load, url: yardstick.url });
	await stop(yardstick.process);
}

/** The same loads on this checkout's service and on the other one's, three times in turn. */
async function takeTurns(
	measured: string[],
	service: Started,
	loads: Record<string, Load>,
	key: string,
): Promise<void> {
	const command = [join(values.against, "bin/animal-store.js"), "serve"];
	const other = await start(command, { ...environment, DATABASE_URL: againstUrl });
	const otherLoads = await loadsFor(other, key);
	for (const what of measured) {
		for (let turn = 0; turn < 3; turn++) {
			await record(what, `${ours}, turn`, service, loads[what] as Load);
			await record(what, `${values.against}, turn`, other, otherLoads[what] as Load);
		}
	}
	await stop(other.process);
}

async function record(what: string, who: string, running: Started, load: Load): Promise<void> {
	process.stderr.write(`measuring ${what}: ${who} …\n`);
	rows.push({ what, who, ...(await measure([{ pid: running.pid, load }], who === bare ? undefined : server?.pids)) });
}

function report(comparisons: Comparison[] = []): void {
	const figure = (what: string, who: string, of: "cpuMicros" | "requestsPerSecond" | "databaseMicros") =>
		rows.find((row) => row.what === what && row.who === who)?.[of] ?? Number.NaN;
	const machine = `${cpus()[0]?.model.trim()} (${cpus().length} cores), Node ${process.version}`;
	const load = `${hasWrk ? "wrk" : "autocannon"}, ${values.engine}, ${animals} animals, 64 connections`;
	console.log(`${new Date().toISOString().slice(0, 10)}, ${machine}, ${load}, ${seconds} s each\n`);
	console.log("| what | who | requests/s | p50 ms | p99 ms | CPU µs/request | database CPU µs/request | failures |");
	console.log("|---|---|---:|---:|---:|---:|---:|---:|");
	for (const row of rows) {
		const rates = [row.requestsPerSecond.toFixed(0), row.p50Ms.toFixed(2), row.p99Ms.toFixed(2)];
		const costs = [row.cpuMicros.toFixed(1), row.databaseMicros?.toFixed(1) ?? "–", row.failures];
		console.log(`| ${[row.what, row.who, ...rates, ...costs].join(" | ")} |`);
	}
	const cpu = (what: string, who: string) => figure(what, who, "cpuMicros");
	const total = (what: string, who: string) => cpu(what, who) + figure(what, who, "databaseMicros");
	const created = (who: string) => figure("create", who, "requestsPerSecond");
	const ratios = [
		["get, CPU against bare node:http", cpu("get", ours) / cpu("get", bare), "≤ 2.5"],
		["list of 20, CPU against bare node:http", cpu("list of 20", ours) / cpu("list of 20", bare), "≤ 4"],
		["create, requests/s against one transaction each", created(ours) / created("one each"), server ? "≥ 5" : "≥ 6"],
		[
			"get, requests/s against one statement each",
			figure("get", ours, "requestsPerSecond") / figure("get", "one each", "requestsPerSecond"),
			"≥ 2",
		],
		["get, CPU against one statement each, database and all", total("get", ours) / total("get", "one each"), "≤ 0.5"],
		["list of 20, CPU against one statement each", cpu("list of 20", ours) / cpu("list of 20", "one each"), "≤ 1.5"],
		...["get", "create"].map(
			(what) =>
				[
					`${what}, CPU with two nodes against one, database and all`,
					total(what, twoNodes) / total(what, oneNode),
					"≤ 1.15",
				] as const,
		),
		...comparisons.map(({ what, storePerSecond, rawPerSecond }) => {
			const [store, raw] = [storePerSecond.toFixed(0), rawPerSecond.toFixed(0)];
			const name = `${what}/s of the store (${store}) against a loop of raw statements (${raw}), without HTTP`;
			return [name, storePerSecond / rawPerSecond, what === "get" ? "≥ 2" : "≥ 5"] as const;
		}),
		[
			"page at the end against the first, CPU",
			cpu("list of 20 at the end", ours) / cpu("list of 20", ours),
			"0.9 to 1.1",
		],
	] as const;
	console.log("\n| ratio | measured | target |\n|---|---:|---:|");
	const turns = (what: string, who: string) =>
		median(rows.filter((row) => row.what === what && row.who === `${who}, turn`).map((row) => row.cpuMicros));
	const against = [...new Set(rows.map(({ what }) => what))].map(
		(what) =>
			[
				`${what}, CPU against ${values.against}, medians of three turns`,
				turns(what, ours) / turns(what, values.against),
				"≤ 1.03",
			] as const,
	);
	for (const [name, value, target] of [...ratios, ...against])
		if (!Number.isNaN(value)) console.log(`| ${name} | ${value.toFixed(2)} | ${target} |`);
}

function median(figures: number[]): number {
	return figures.sort((a, b) => a - b)[Math.floor(figures.length / 2)] ?? Number.NaN;
}
