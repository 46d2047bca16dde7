// Measures servers in turns (A B A B …), so that a slow phase of the machine affects all servers.

import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { makeLargeStore } from "./large-store.ts";
import { type Load, type Loaded, measureWarm, memoryMb, type Result, warmUp } from "./load.ts";
import { against, animals, others, rounds, say, seconds, values } from "./options.ts";
import { besideNames, type LatencyMeasurement, type Measurement, names, type StartMeasurement } from "./results.ts";
import { check, expectedBytes, loadOf, type Pages, pagesOf, type Scenario, scenarios } from "./scenarios.ts";
import { folder, nginxVersion, type Server, startBare, startNginx, startPlain, startService } from "./servers.ts";
import { close, type Stand } from "./stand.ts";
import { measureSteady } from "./steady.ts";

const latencyShares = [0.5, 0.7];
const besideRate = 500;
/** The number of connections that create animals. */
const besideCreates = { [besideNames.alone]: 0, [besideNames.beside]: 64 };

/** A server with its load. */
interface Entry {
	server: Server;
	load: Load;
	pids?: (() => number[]) | undefined;
}

/**
 * Checks the replies of the service, and returns all servers of a scenario with their loads. Bare node:http and nginx
 * repeat a reply of the service.
 */
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

/** Measures each server in turn, once in each round. */
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
			rounds.push(await measureRight(`${what}, ${server.name}`, { pid: server.pid, load }, bytes, pids));
		}
	}
	return measured.map(({ server, rounds }) => ({ what, who: server.name, rounds }));
}

/** Measures again after a round with a time-out or another failure. @throws after three attempts */
async function measureRight(name: string, loaded: Loaded, bytes: number, pids?: () => number[]): Promise<Result> {
	for (let attempt = 1; attempt <= 3; attempt++) {
		const result = await measureWarm([loaded], pids);
		if (result.failures === 0 && Math.abs(result.bytes / bytes - 1) < 0.1) return result;
		say(`${name}: ${result.failures} failures, ${result.bytes.toFixed(0)} bytes per reply, not ${bytes.toFixed(0)}`);
	}
	throw new Error(`${name}: no round without failures`);
}

export async function measureScenario(scenario: Scenario, stand: Stand): Promise<Measurement[]> {
	const entries = await entriesOf(scenario, stand);
	const measurements = await takeTurns(scenario.name, entries, scenario);
	for (const { server } of entries.slice(stand.services.length)) await server.stop();
	return measurements;
}

/** Measures latencies at fractions of each server's highest rate, or of the service's highest rate if that is lower. */
export async function measureLatency(scenario: Scenario, stand: Stand): Promise<LatencyMeasurement[]> {
	const entries = (await entriesOf(scenario, stand)).filter(({ server }) => server.name !== names.nginx);
	const most: number[] = [];
	for (const entry of entries) {
		await check(entry.load, scenario);
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

/** Measures latencies of gets: alone, and while other connections create animals as fast as the server replies. */
export async function measureBesideCreates(scenario: Scenario, stand: Stand): Promise<LatencyMeasurement[]> {
	const entries = await entriesOf(scenario, stand);
	const measured = entries.flatMap(({ server, load: { body: _, ...load } }) =>
		Object.entries(besideCreates).map(([what, creators]) => {
			const rounds: LatencyMeasurement["rounds"] = [];
			return { what, who: server.name, rate: besideRate, load: { ...load, perSecond: besideRate, creators }, rounds };
		}),
	);
	for (let round = 1; round <= rounds; round++) {
		say(`gets during creates: round ${round} of ${rounds}`);
		for (const { load, rounds } of measured) rounds.push(await measureSteady(load));
	}
	for (const { server } of entries.slice(stand.services.length)) await server.stop();
	return measured.map(({ load, ...measurement }) => measurement);
}

/** Measures the time until each server is ready, and its memory a second later. */
export async function measureStarts(key: string): Promise<StartMeasurement[]> {
	const [empty, full] = ["empty.db", "ours.db"].map((name) => `sqlite:${join(folder, name)}`) as [string, string];
	const starts: [string, () => Promise<Server>][] = [
		[`${names.ours}, empty`, () => startService(empty, key)],
		[`${names.ours}, ${animals} animals`, () => startService(full, key)],
		...others.map((other, index): (typeof starts)[0] => [
			`${other}, empty`,
			() => startService(empty.replace("empty", `empty-${index}`), key, other),
		]),
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

/** Measures the service with stores of several sizes; all services run at the same time. */
export async function measureSizes(): Promise<Measurement[]> {
	const services: Pages[] = [];
	for (const size of values.sizes.split(",").map(Number)) {
		const file = join(folder, `size-${size}.db`);
		say(`creating a store of ${size} animals`);
		const key = await makeLargeStore(file, size);
		services.push(pagesOf({ ...(await startService(`sqlite:${file}`, key)), name: String(size) }, size));
	}
	const measurements: Measurement[] = [];
	const measured = ["list of 20: first page", "list of 20: random page", "list of 20: last page", "get: random"];
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
