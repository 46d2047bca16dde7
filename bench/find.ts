// `npm run bench:find` measures `/console/find` on both engines: the first page with its total, gets during searches,
// and exports. The defaults are `--animals 100000,1000000` (two stores) and `--accented 10` (every tenth name has a
// letter beyond ASCII). CPU time is that of service and server. `--index names`: only an index's cost per animal (0027).

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { startPostgres } from "../test/support/postgres-server.ts";
import { keyFor, startProgram } from "../test/support/program.ts";
import { runSql } from "../test/support/sql.ts";
import { cpuSeconds } from "./load.ts";
import { measureSteady } from "./steady.ts";

const text = { type: "string" } as const;
const { values } = parseArgs({ options: { animals: text, accented: text, index: text } });
const { animals: counts = "100000,1000000", accented = "10", index } = values;
const indexes: Record<string, string[]> = {
	"names SQLite": ["CREATE INDEX x ON pets (lower(name), id)"],
	"names PostgreSQL": ["CREATE INDEX x ON pets (lower(name), id)"],
	"trigrams SQLite": [
		"CREATE VIRTUAL TABLE x USING fts5 (name, content = '', detail = none, columnsize = 0, tokenize = 'trigram')",
		"CREATE TRIGGER y AFTER INSERT ON pets BEGIN INSERT INTO x (rowid, name) VALUES (new.id, new.name); END",
	],
	"trigrams PostgreSQL": ["CREATE EXTENSION pg_trgm", "CREATE INDEX x ON pets USING gin (lower(name) gin_trgm_ops)"],
};
const rounds = 9;
const queries: Record<string, string> = {
	"all, by name": "sort=name",
	"of a category, by name": "sort=name&category=7",
	"a common text": "name=el",
	"a common text, by name": "name=el&sort=name",
	"a rare text": "name=müsli+99",
	"an absent text": "name=nobody",
};
const sqliteBytes = "page_count * page_size AS bytes FROM pragma_page_count, pragma_page_size";
const cleanUps: (() => unknown)[] = [];
const context = { after: (cleanUp: () => unknown) => void cleanUps.unshift(cleanUp) };
const folder = mkdtempSync(join(tmpdir(), "animal-store-bench-find-"));
context.after(() => rmSync(folder, { recursive: true }));
const columns = ["find", "animals", "what", "least ms", "median", "most", "CPU ms", "total"];
try {
	console.log(`| ${columns.join(" | ")} |\n|---|---:|---|${"---:|".repeat(columns.length - 3)}`);
	for (const animals of counts.split(",").map(Number)) {
		await measure("SQLite", animals, `sqlite:${join(folder, `${animals}.db`)}`, () => []);
		const server = await startPostgres();
		context.after(server.remove);
		await measure("PostgreSQL", animals, `${server.url}/postgres`, server.pids);
	}
} finally {
	for (const cleanUp of cleanUps) await cleanUp();
}

async function measure(engine: string, animals: number, databaseUrl: string, pids: () => number[]): Promise<void> {
	const say = (...cells: unknown[]) => console.log(`| ${engine} | ${animals} | ${cells.join(" | ")} |`);
	const key = await keyFor(databaseUrl);
	const names = ["Rex", "Bella", "Max", "Luna", "Michel"].map((name, at) => `WHEN ${at} THEN '${name}'`);
	const insert = (first: number, last: number) =>
		runSql(
			databaseUrl,
			`INSERT INTO pets (id, name, category_id)
			WITH RECURSIVE n (i) AS (SELECT ${first} UNION ALL SELECT i + 1 FROM n WHERE i < ${last})
			SELECT i, CASE WHEN i % ${accented} = 0 THEN 'Müsli' ELSE CASE i / 3 % 5 ${names.join(" ")} END END
				|| ' ' || (i * 97 % ${animals}), i % 50 FROM n`,
		);
	if (index !== undefined) {
		for (const sql of indexes[`${index} ${engine}`] ?? []) await runSql(databaseUrl, sql);
		const cpuBefore = cpuSeconds([process.pid, ...pids()]);
		for (let first = 1; first <= animals; first += 1000) await insert(first, first + 999);
		const cpuEach = (1e6 * (cpuSeconds([process.pid, ...pids()]) - cpuBefore)) / animals;
		const size = pids().length > 0 ? "pg_total_relation_size('pets') AS bytes" : sqliteBytes;
		const bytes = Number((await runSql(databaseUrl, `SELECT ${size}`))[0]?.["bytes"]);
		return say(`index ${index}`, cpuEach.toFixed(1), (bytes / animals).toFixed(0));
	}
	await insert(1, animals);
	if (pids().length > 0) await runSql(databaseUrl, `UPDATE counters SET last_id = ${animals}; ANALYZE pets`);
	const service = await startProgram(context, { DATABASE_URL: databaseUrl });
	const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
	const find = async (query: string) => (await fetch(`${service.url}/console/find?${query}`, { headers })).json();
	const cpuMs = () => 1000 * cpuSeconds([service.pid, ...pids()]);
	/** Does the work once without measuring it, then measures `times` repetitions. */
	async function repeat(what: string, work: () => Promise<unknown>, times = rounds): Promise<void> {
		const took: number[] = [];
		const { total = "", isMore } = Object(await work());
		const beforeMs = cpuMs();
		for (let startedAtMs = 0; took.length < times; took.push(performance.now() - startedAtMs)) {
			startedAtMs = performance.now();
			await work();
		}
		took.sort((one, other) => one - other);
		const figures = [took[0], took[times >> 1], took.at(-1), (cpuMs() - beforeMs) / times];
		say(what, ...figures.map((ms) => ms?.toFixed(0)), `${isMore ? "more than " : ""}${total}`);
	}
	for (const [what, query] of Object.entries(queries)) await repeat(what, () => find(query));
	const gets = { url: `${service.url}/v1/pets/ID`, maxId: animals, key, connections: 4, seconds: 4, perSecond: 200 };
	const alone = await measureSteady(gets);
	const state = { isOver: false };
	const finding = (async () => {
		while (!state.isOver) for (const query of Object.values(queries)) await find(query);
	})();
	const during = await measureSteady(gets).finally(() => Object.assign(state, { isOver: true }));
	await finding;
	say("p99 of gets: alone, then during searches", alone.p99Ms.toFixed(1), during.p99Ms.toFixed(1), "", "", "");
	for (const sort of animals > 100_000 ? [] : ["id", "name"]) {
		const order = { method: "POST", headers, body: JSON.stringify({ format: "xlsx", sort }) };
		const download = async () => (await fetch(`${service.url}/console/exports`, order)).arrayBuffer();
		await repeat(`all as a workbook, by ${sort}`, download, 3);
	}
	await service.stop();
}
