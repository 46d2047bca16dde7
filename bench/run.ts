// `npm run bench` measures the service and its reference servers in turns within one run, because figures of different
// runs cannot be compared. `--help` lists the options.

import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { join } from "node:path";
import { hasWrk } from "./load.ts";
import { against, animals, help, isWanted, others, rounds, say, seconds, values } from "./options.ts";
import { startDatabase } from "./postgres.ts";
import { documentResults, report } from "./report.ts";
import type { LatencyMeasurement, Measurement, Results } from "./results.ts";
import { scenarios } from "./scenarios.ts";
import { nginxVersion, stopAll } from "./servers.ts";
import { close, openPostgresStand, openStand } from "./stand.ts";
import { measureBesideCreates, measureLatency, measureScenario, measureSizes, measureStarts } from "./turns.ts";

const longNamesAnimals = 10_000;
const latencyScenarios = ["list of 20: first page", "get: random", "mix: 90% reads and 10% writes", "create"];

/** All measurements on SQLite. */
async function measureAll(): Promise<Omit<Results, "about" | "absent" | "others">> {
	const wanted = scenarios.filter(({ name }) => isWanted(name));
	const measurements: Measurement[] = [];
	const latencies: LatencyMeasurement[] = [];
	const stand = await openStand(animals);
	for (const scenario of wanted)
		if (!scenario.hasLongNames) measurements.push(...(await measureScenario(scenario, stand)));
	if (isWanted("latency"))
		for (const scenario of scenarios)
			if (latencyScenarios.includes(scenario.name)) latencies.push(...(await measureLatency(scenario, stand)));
	if (isWanted("beside"))
		for (const scenario of scenarios)
			if (scenario.name.startsWith("mix")) latencies.push(...(await measureBesideCreates(scenario, stand)));
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

/** All measurements on PostgreSQL: there, only the scenarios are measured. */
async function measurePostgres(): Promise<Omit<Results, "about" | "absent" | "others">> {
	const database = await startDatabase();
	try {
		const stand = await openPostgresStand(database);
		const measurements: Measurement[] = [];
		for (const scenario of scenarios.filter(({ name, hasLongNames }) => isWanted(name) && !hasLongNames))
			measurements.push(...(await measureScenario(scenario, stand)));
		await close(stand);
		return { measurements, latencies: [], starts: [], sizes: [] };
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
	for (const checkout of others) assert.ok(existsSync(join(checkout, "bin")), `${checkout} is not a checkout`);
	const machine = `${cpus()[0]?.model.trim()} (${cpus().length} cores), Node ${process.version}`;
	const load = `${hasWrk ? "wrk" : "autocannon"}, 64 connections${against.includes("nginx") && nginxVersion ? `, nginx ${nginxVersion}` : ""}`;
	const turns = `${animals} animals, ${rounds} rounds of ${seconds} s`;
	const about = `${new Date().toISOString().slice(0, 10)}, ${machine}, ${load}, ${values.engine}, ${turns}`;
	const measured = values.engine === "postgres" ? await measurePostgres() : await measureAll();
	return { about, absent, others, ...measured };
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
