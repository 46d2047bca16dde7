// `npm run bench` measures the service and its yardsticks in turns of one run, because only ratios of one run can be
// compared. `--help` lists the options.

import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { keyFromRandom } from "../src/keys/key-format.ts";
import { compareWithRaw } from "./compare-with-raw.ts";
import { fill } from "./fill.ts";
import { addAnimals, makeLargeStore } from "./large-store.ts";
import { hasWrk, type Load, measureWarm, memoryMb, type Result, warmUp } from "./load.ts";
import { type Database, measureNodes, startDatabase } from "./postgres.ts";
import { documentResults, report } from "./report.ts";
import type { LatencyMeasurement, Measurement, Results, StartMeasurement } from "./results.ts";
import { check, expectedBytes, loadOf, type Pages, pagesOf, type Scenario, scenarios } from "./scenarios.ts";
import {
	folder,
	names,
	nginxVersion,
	type Server,
	startBare,
	startNginx,
	startNode,
	startPlain,
	startService,
	stopAll,
} from "./servers.ts";
import { measureSteady } from "./steady.ts";

const help = `npm run bench -- [options]
  --only WORDS      scenarios with one of these words in their name, separated by commas; also: latency, start, sizes
  --against NAMES   of bare, nginx, plain, each (PostgreSQL only: one statement each), and folders of other checkouts
  --seconds N       of each turn (3)           --rounds N   turns of each server (5)
  --animals N       in the store (1000000)     --sizes NS   of the stores for "sizes" (1000,10000,100000,1000000)
  --engine postgres starts a PostgreSQL server, adds a second node, and compares the store with raw statements
  --json FILE       writes all figures         --from FILE  takes them from there instead of measuring
  --document        writes docs/performance.json and .svg, and their tables into docs/performance.md
A quick run: npm run bench -- --seconds 1 --rounds 1 --animals 100000 --only list,get,create`;

const { values } = parseArgs({
	options: {
		only: { type: "string", default: "" },
		against: { type: "string" },
		seconds: { type: "string", default: "3" },
		rounds: { type: "string", default: "5" },
		animals: { type: "string", default: "1000000" },
		sizes: { type: "string", default: "1000,10000,100000,1000000" },
		engine: { type: "string", default: "sqlite" },
		json: { type: "string" },
		from: { type: "string" },
		document: { type: "boolean", default: false },
		help: { type: "boolean", default: false },
	},
});
const [seconds, rounds, animals] = [Number(values.seconds), Number(values.rounds), Number(values.animals)];
const against = (values.against ?? "bare,nginx,plain,each").split(",").filter(Boolean);
const others = against.filter((name) => !["bare", "nginx", "plain", "each"].includes(name));
const latencyShares = [0.5, 0.7];
const latencyScenarios = ["list of 20, first page", "get, random", "mix, 90% get and 10% create", "create"];
const longNamesAnimals = 10_000;

function isWanted(name: string): boolean {
	return values.only.split(",").some((word) => name.includes(word));
}

function say(text: string): void {
	process.stderr.write(`${text} …\n`);
}

/** Services with stores of the same animals; the first is this checkout's. */
interface Stand {
	services: Pages[];
	database?: Database | undefined;
}

async function openStand(count: number, hasLongNames = false): Promise<Stand> {
	say(`making stores of ${count} animals`);
	const key = keyFromRandom(randomBytes(32));
	const file = (name: string) => join(folder, `${name}${hasLongNames ? "-long" : ""}.db`);
	const starts: [string, (file: string) => Promise<Server>][] = [
		[file("ours"), (path) => startService(`sqlite:${path}`, key)],
		...others.map((checkout, index): (typeof starts)[0] => [
			file(`other-${index}`),
			(path) => startService(`sqlite:${path}`, key, checkout),
		]),
	];
	if (against.includes("plain")) starts.push([file("plain"), (path) => startPlain(path, key)]);
	const services: Pages[] = [];
	for (const [path, start] of starts) {
		await (await start(path)).stop(); // It made its tables.
		addAnimals(path, count, hasLongNames ? "🐾".repeat(255) : undefined);
		services.push(pagesOf(await start(path), count));
	}
	return { services };
}

/** A file of another checkout's benchmark, which knows its schema. */
function theirs<Module>(checkout: string, name: string): Promise<Module> {
	return import(pathToFileURL(resolve(checkout, `bench/${name}.ts`)).href);
}

async function openPostgresStand(database: Database): Promise<Stand> {
	const key = await fill(database.url, animals);
	const bytesEach = await database.bytesEach(animals);
	say(`they take ${bytesEach.toFixed(0)} bytes each, indexes and all`);
	const services = [await startService(database.url, key)];
	if (against.includes("each")) {
		const start = { name: names.each, parameters: ["bench/naive.ts", database.url], environment: {}, key };
		services.push(await startNode(start));
	}
	for (const [index, checkout] of others.entries()) {
		const url = await database.add(`other${index}`);
		const key = await (await theirs<{ fill: typeof fill }>(checkout, "fill")).fill(url, animals);
		services.push(await startService(url, key, checkout));
	}
	return { services: services.map((server) => pagesOf(server, animals)), database };
}

/** A server with what it is asked. */
interface Entry {
	server: Server;
	load: Load;
	pids?: (() => number[]) | undefined;
}

/** All servers for a scenario, each with its checked load. Bare node:http and nginx repeat a reply of the service. */
async function entriesOf(scenario: Scenario, { services, database }: Stand): Promise<Entry[]> {
	const entries: Entry[] = [];
	for (const pages of services)
		entries.push({ server: pages.server, load: await loadOf(scenario, pages, seconds), pids: database?.pids });
	const [{ load }] = entries as [Entry];
	const replies = await check(load, scenario);
	const fixed = against.includes("bare") ? [await startBare(replies)] : [];
	if (against.includes("nginx") && nginxVersion && replies["GET"] && !replies["POST"])
		fixed.push(await startNginx(replies["GET"]));
	const moved = (server: Server) => load.url.replace(new URL(load.url).origin, server.url);
	entries.push(...fixed.map((server) => ({ server, load: { ...load, url: moved(server) } })));
	return entries;
}

/** Each server in turn, as often as there are rounds. */
async function takeTurns(what: string, entries: Entry[], scenario: Scenario): Promise<Measurement[]> {
	const measured = [];
	for (const entry of entries) {
		const bytes = expectedBytes(await check(entry.load, scenario), entry.load);
		await warmUp([entry]);
		measured.push({ ...entry, bytes, rounds: [] as Result[] });
	}
	for (let round = 1; round <= rounds; round++) {
		say(`${what}: round ${round} of ${rounds}`);
		for (const { server, load, pids, bytes, rounds } of measured) {
			const result = await measureWarm([{ pid: server.pid, load }], pids);
			const isRight = result.failures === 0 && Math.abs(result.bytes / bytes - 1) < 0.1;
			assert.ok(isRight, `${what}, ${server.name}: ${result.failures} failures, ${result.bytes} bytes for ${bytes}`);
			rounds.push(result);
		}
	}
	return measured.map(({ server, rounds }) => ({ what, who: server.name, rounds }));
}

async function measureScenario(scenario: Scenario, stand: Stand): Promise<Measurement[]> {
	const entries = await entriesOf(scenario, stand);
	const measurements = await takeTurns(scenario.name, entries, scenario);
	for (const { server } of entries.slice(stand.services.length)) await server.stop();
	return measurements;
}

/** Latencies at shares of what each server answers at most, but no more than of what the service does. */
async function measureLatency(scenario: Scenario, stand: Stand): Promise<LatencyMeasurement[]> {
	const entries = (await entriesOf(scenario, stand)).filter(({ server }) => server.name !== names.nginx);
	const most: number[] = [];
	for (const entry of entries) {
		await warmUp([entry]);
		most.push((await measureWarm([{ pid: entry.server.pid, load: entry.load }])).requestsPerSecond);
	}
	const measured = latencyShares.flatMap((share) =>
		entries.map(({ server, load }, index) => {
			const rate = Math.round(share * Math.min(most[index] ?? 0, most[0] ?? 0));
			return { what: scenario.name, who: server.name, share, rate, load, rounds: [] as LatencyMeasurement["rounds"] };
		}),
	);
	for (let round = 1; round <= rounds; round++) {
		say(`latency of ${scenario.name}: round ${round} of ${rounds}`);
		for (const { load, rate, rounds } of measured) rounds.push(await measureSteady({ ...load, perSecond: rate }));
	}
	for (const { server } of entries.slice(stand.services.length)) await server.stop();
	return measured.map(({ load, ...measurement }) => measurement);
}

/** Time to ready, and memory a second later. */
async function measureStarts(key: string): Promise<StartMeasurement[]> {
	const [empty, full] = ["empty.db", "ours.db"].map((name) => `sqlite:${join(folder, name)}`) as [string, string];
	const starts: [string, () => Promise<Server>][] = [
		[`${names.ours}, empty`, () => startService(empty, key)],
		[`${names.ours}, ${animals} animals`, () => startService(full, key)],
		...others.map((other) => [`${other}, empty`, () => startService(`${empty}-${other}`, key, other)] as never),
	];
	if (against.includes("plain")) starts.push([names.plain, () => startPlain(join(folder, "plain.db"), key)]);
	if (against.includes("bare")) starts.push([names.bare, () => startBare({})]);
	const measured = starts.map(([who, start]) => ({ who, start, rounds: [] as StartMeasurement["rounds"] }));
	for (let round = 1; round <= rounds; round++) {
		say(`start: round ${round} of ${rounds}`);
		for (const { start, rounds } of measured) {
			const { pid, readyMs, readyCpuMs, stop } = await start();
			await sleep(1000);
			rounds.push({ readyMs, readyCpuMs, rssMb: memoryMb([pid]) });
			await stop();
		}
	}
	return measured.map(({ who, rounds }) => ({ who, rounds }));
}

/** The service with stores of several sizes, all at the same time. */
async function measureSizes(): Promise<Measurement[]> {
	const services: Pages[] = [];
	for (const size of values.sizes.split(",").map(Number)) {
		const file = join(folder, `size-${size}.db`);
		say(`making a store of ${size} animals`);
		const key = await makeLargeStore(file, size);
		services.push(pagesOf({ ...(await startService(`sqlite:${file}`, key)), name: String(size) }, size));
	}
	const measurements: Measurement[] = [];
	const measured = ["list of 20, first page", "list of 20, last page", "get, random"];
	for (const scenario of scenarios.filter(({ name }) => measured.includes(name))) {
		const entries = services.map(async (pages) => ({
			server: pages.server,
			load: await loadOf(scenario, pages, seconds),
		}));
		measurements.push(...(await takeTurns(scenario.name, await Promise.all(entries), scenario)));
	}
	await close({ services });
	return measurements;
}

async function close({ services }: Stand): Promise<void> {
	for (const { server } of services) await server.stop();
}

/** Over SQLite. */
async function measureAll(): Promise<Omit<Results, "about" | "absent" | "others" | "comparisons">> {
	const wanted = scenarios.filter(({ name }) => isWanted(name));
	const measurements: Measurement[] = [];
	const latencies: LatencyMeasurement[] = [];
	const stand = await openStand(animals);
	for (const scenario of wanted)
		if (!scenario.hasLongNames) measurements.push(...(await measureScenario(scenario, stand)));
	if (isWanted("latency"))
		for (const scenario of scenarios)
			if (latencyScenarios.includes(scenario.name)) latencies.push(...(await measureLatency(scenario, stand)));
	await close(stand);
	const starts = isWanted("start") ? await measureStarts(stand.services[0]?.server.key ?? "") : [];
	const withLongNames = wanted.filter(({ hasLongNames }) => hasLongNames);
	if (withLongNames.length > 0) {
		const stand = await openStand(longNamesAnimals, true);
		for (const scenario of withLongNames) measurements.push(...(await measureScenario(scenario, stand)));
		await close(stand);
	}
	return { measurements, latencies, starts, sizes: isWanted("sizes") ? await measureSizes() : [] };
}

/** Over PostgreSQL: the scenarios, two nodes, and the store without HTTP. */
async function measurePostgres(): Promise<Omit<Results, "about" | "absent" | "others">> {
	const database = await startDatabase();
	try {
		const stand = await openPostgresStand(database);
		const measurements: Measurement[] = [];
		for (const scenario of scenarios.filter(({ name, hasLongNames }) => isWanted(name) && !hasLongNames))
			measurements.push(...(await measureScenario(scenario, stand)));
		const [{ server }] = stand.services as [Pages];
		if (isWanted("nodes")) measurements.push(...(await measureNodes(database, server, { animals, seconds, rounds })));
		await close(stand);
		const comparisons = isWanted("raw") ? await compareWithRaw(database.url, { animals, seconds, only: "" }) : [];
		return { measurements, comparisons, latencies: [], starts: [], sizes: [] };
	} finally {
		await database.remove();
	}
}

async function measure(): Promise<Results> {
	const absent = [
		...(nginxVersion || !against.includes("nginx") ? [] : ["nginx is not installed"]),
		...(hasWrk ? [] : ["wrk is not installed: autocannon limits requests/s"]),
	];
	for (const text of absent) say(text);
	for (const checkout of others) assert.ok(existsSync(join(checkout, "bin")), `${checkout} is no checkout`);
	const machine = `${cpus()[0]?.model.trim()} (${cpus().length} cores), Node ${process.version}`;
	const load = `${hasWrk ? "wrk" : "autocannon"}, 64 connections${nginxVersion ? `, nginx ${nginxVersion}` : ""}`;
	const turns = `${animals} animals, ${rounds} rounds of ${seconds} s`;
	const about = `${new Date().toISOString().slice(0, 10)}, ${machine}, ${load}, ${values.engine}, ${turns}`;
	const measured = values.engine === "postgres" ? await measurePostgres() : await measureAll();
	return { about, absent, others, comparisons: [], ...measured };
}

if (values.help) {
	console.log(help);
} else {
	try {
		const results: Results = values.from ? JSON.parse(readFileSync(values.from, "utf8")) : await measure();
		if (values.json) writeFileSync(values.json, `${JSON.stringify(results, null, "\t")}\n`);
		if (values.document) documentResults(results);
		console.log(report(results));
	} finally {
		stopAll();
	}
}
