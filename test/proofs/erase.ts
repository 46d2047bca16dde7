// The command removes animals from a large store while clients create and read. No client waits for the erasure.

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { addAnimals } from "../../bench/large-store.ts";
import { ask } from "../support/caller.ts";
import { startMixedLoad } from "../support/mixed-load.ts";
import { runWell, startProgram } from "../support/program.ts";
import { newStore, type Proof, type Trial } from "../support/proof.ts";
import { seededRandom } from "../support/random.ts";
import { startReaders } from "../support/readers.ts";
import { samplesOf } from "../support/scrape.ts";
import { runSql } from "../support/sql.ts";

const createWaitMaxMs = 5000;
const removals = 100;
const operators = 4;

export const proof: Proof = {
	shows: "removals in a large store under load: no create fails or waits long, and no removed name is in a file",
	options: { animals: { default: "1000000", text: "animals in the store" } },
	async prove(trial) {
		const animals = Number(trial.option("animals"));
		const { environment, key } = await newStore("erase", trial.folder);
		const file = environment.DATABASE_URL.slice("sqlite:".length);
		const random = seededRandom(trial.seed);
		const anyId = () => 1 + Math.floor(random() * animals);
		makeStore(file, animals, anyId);
		const half = Math.floor(animals / 2);
		const adjacent = Array.from({ length: removals / 2 }, (_, index) => half + index);
		const ids = new Set([...adjacent, ...Array.from({ length: removals }, anyId)].slice(0, removals));
		const names = await namesOf(environment.DATABASE_URL, ids);
		const before = await rewritingsOf(environment.DATABASE_URL);

		const service = await startProgram(trial, environment);
		const load = startMixedLoad([service.url], key, { clients: 16 });
		const reading = startReaders(4, () => ask(`${service.url}/v1/pets/${anyId()}`, { key }));
		await load.acknowledges(500);
		await samplesOf(service, "animal_store_event_loop_delay_seconds"); // This read resets the metric.
		load.slowestMs = 0;
		const times = await removeAll(environment, [...ids]);
		const delays = await samplesOf(service, "animal_store_event_loop_delay_seconds");
		await reading.stop();
		await load.stop();

		for (const status of Object.keys(reading.statuses)) assert.match(status, /200|404/);
		assertGone(trial, names);
		assert.deepEqual([...load.statuses.keys()], [201], "no create failed");
		assert.ok(load.slowestMs < createWaitMaxMs, `a create took ${load.slowestMs} ms`);
		const edits = JSON.parse(await runWell(["audit", "list", "--json"], { environment })) as {
			erasedAt: string | null;
		}[];
		assert.deepEqual([edits.length, edits.filter(({ erasedAt }) => !erasedAt).length], [ids.size, 0]);
		await service.stop();
		await runWell(["verify"], { environment });
		times.sort((a, b) => a - b);
		return {
			animals,
			removals: ids.size,
			rewritings: (await rewritingsOf(environment.DATABASE_URL)) - before,
			medianCommandMs: Math.round(times[times.length >> 1] ?? Number.NaN),
			longestCommandMs: Math.round(times.at(-1) ?? Number.NaN),
			created: load.ledger.acknowledged.size,
			longestCreateMs: Math.round(load.slowestMs),
			reads: reading.requests,
			longestReadMs: Math.round(reading.slowestMs),
			longestEventLoopDelayMs: Math.round(1000 * Math.max(...delays.map(({ value }) => value))),
		};
	},
};

/** Adds animals and gives some a longer name, so that SQLite splits pages and leaves copies of animals in old pages. */
function makeStore(file: string, animals: number, anyId: () => number): void {
	addAnimals(file, animals);
	const database = new Database(file);
	database.pragma("secure_delete = ON");
	const rename = database.prepare("UPDATE pets SET name = ? WHERE id = ?");
	database.transaction(() => {
		for (let count = 0; count < animals / 1000; count++) rename.run("x".repeat(250), anyId());
	})();
	database.close();
}

async function namesOf(databaseUrl: string, ids: Set<number>): Promise<string[]> {
	const rows = await runSql(databaseUrl, `SELECT name FROM pets WHERE id IN (${[...ids]})`);
	return rows.map(({ name }) => String(name)).filter((name) => !name.startsWith("x"));
}

/** The schema version, which SQLite increments each time it rewrites the file. */
async function rewritingsOf(databaseUrl: string): Promise<number> {
	return Number((await runSql(databaseUrl, "PRAGMA schema_version"))[0]?.["schema_version"]);
}

async function removeAll(environment: { DATABASE_URL: string }, ids: number[]): Promise<number[]> {
	const times: number[] = [];
	await Promise.all(
		Array.from({ length: operators }, async () => {
			for (let id = ids.pop(); id !== undefined; id = ids.pop()) {
				const startedAtMs = performance.now();
				const said = await runWell(["pets", "remove", String(id)], { environment });
				assert.equal(said, `animal ${id} is removed\nits name is erased\n`);
				times.push(performance.now() - startedAtMs);
			}
		}),
	);
	return times;
}

function assertGone({ folder }: Trial, names: string[]): void {
	for (const path of readdirSync(folder)) {
		const content = readFileSync(join(folder, path));
		for (const name of names) assert.ok(!content.includes(name), `${path} has ${name}`);
	}
}
