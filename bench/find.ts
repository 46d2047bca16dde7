// `npm run bench:find` measures `/console/find` with `--animals N,N` (100000,1000000) on both engines: the first page with
// its total, the gets of others meanwhile, and an export as a workbook. `--accented N`: each Nth name is not ASCII (10).

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { keyFor } from "../test/support/key-for.ts";
import { startPostgres } from "../test/support/postgres-server.ts";
import { startProgram } from "../test/support/program.ts";
import { runSql } from "../test/support/sql.ts";
import { measureSteady } from "./steady.ts";

const { values } = parseArgs({
	options: {
		animals: { type: "string", default: "100000,1000000" },
		accented: { type: "string", default: "10" },
		engines: { type: "string", default: "sqlite,postgres" },
		rounds: { type: "string", default: "9" },
	},
});
const rounds = Number(values.rounds);
const queries: Record<string, string> = {
	"all, by id": "sort=id",
	"all, by name": "sort=name",
	"of a category, by name": "sort=name&category=7",
	"a common text": "name=el",
	"a common text, by name": "name=el&sort=name",
	"a rare text": "name=müsli+99",
	"an absent text": "name=nobody",
};
const cleanUps: (() => unknown)[] = [];
const context = { after: (cleanUp: () => unknown) => void cleanUps.unshift(cleanUp) };
const columns = ["engine, animals", "what", "median ms", "slowest ms", "total"];
try {
	console.log(`| ${columns.join(" | ")} |\n|---|---|${"---:|".repeat(columns.length - 2)}`);
	for (const engine of values.engines.split(","))
		for (const animals of values.animals.split(",").map(Number)) await measure(engine, animals);
} finally {
	for (const cleanUp of cleanUps) await cleanUp();
}

async function open(engine: string, animals: number): Promise<string> {
	if (engine === "postgres") {
		const server = await startPostgres(["-c", "shared_buffers=512MB"]);
		context.after(server.remove);
		return `${server.url}/postgres`;
	}
	const folder = mkdtempSync(join(tmpdir(), "animal-store-bench-find-"));
	context.after(() => rmSync(folder, { recursive: true }));
	return `sqlite:${join(folder, `${animals}.db`)}`;
}

async function measure(engine: string, animals: number): Promise<void> {
	const databaseUrl = await open(engine, animals);
	const key = await keyFor(databaseUrl);
	const names = (list: string[]) => list.map((name, index) => `WHEN ${index} THEN '${name}'`).join(" ");
	await runSql(
		databaseUrl,
		`INSERT INTO pets (id, name, category_id, status) WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${animals})
		SELECT i, CASE WHEN i % ${values.accented} = 0 THEN CASE i / 10 % 4 ${names(["Jörg", "Müsli", "Zoé", "Łucja"])} END
			ELSE CASE i % 6 ${names(["Rex", "Bella", "Max", "Luna", "Charlie", "Michel"])} END END || ' ' || (i * 7919 % ${animals}), i % 50, NULL FROM n`,
	);
	if (engine === "postgres") {
		await runSql(databaseUrl, `UPDATE counters SET last_id = ${animals} WHERE name = 'pets'`);
		await runSql(databaseUrl, "VACUUM ANALYZE pets");
	}
	const service = await startProgram(context, { DATABASE_URL: databaseUrl });
	const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
	const find = async (query: string) =>
		(await (await fetch(`${service.url}/console/find?${query}`, { headers })).json()) as {
			total: number;
			isAbout?: boolean;
		};
	const say = (...cells: unknown[]) => console.log(`| ${engine}, ${animals} | ${cells.join(" | ")} |`);
	for (const [what, query] of Object.entries(queries)) {
		const times: number[] = [];
		const { total, isAbout } = await find(query);
		while (times.length < rounds) times.push(await timeOf(() => find(query)));
		times.sort((one, other) => one - other);
		say(what, ...[times[rounds >> 1], times.at(-1)].map((ms) => ms?.toFixed(0)), `${isAbout ? "about " : ""}${total}`);
	}
	const gets = { url: `${service.url}/v1/pets/ID`, maxId: animals, key, connections: 4, seconds: 4, perSecond: 200 };
	const alone = await measureSteady(gets);
	let isOver = false;
	const finding = (async () => {
		for (let index = 0; !isOver; index++) await find(Object.values(queries)[index % 7] ?? "");
	})();
	const beside = await measureSteady(gets);
	isOver = true;
	await finding;
	say("p99 of gets: alone, beside searches", alone.p99Ms.toFixed(1), beside.p99Ms.toFixed(1), "");
	const body = JSON.stringify({ format: "xlsx", sort: "name" });
	const order = await fetch(`${service.url}/console/exports`, { method: "POST", headers, body });
	const { path } = (await order.json()) as { path: string };
	const file = await timeOf(async () => (await fetch(service.url + path)).arrayBuffer());
	say("all, by name, as a workbook", file.toFixed(0), "", animals);
	await service.stop();
}

async function timeOf(work: () => Promise<unknown>): Promise<number> {
	const startedAtMs = performance.now();
	await work();
	return performance.now() - startedAtMs;
}
