// A start with a large store checks only the file's header, the schema and the ends of the tables.

import assert from "node:assert/strict";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import Database from "better-sqlite3";
import { openStore } from "../../src/store/open.ts";
import { ask, callerOf } from "../support/caller.ts";
import { keyFor } from "../support/key-for.ts";
import { begin, runProgram, startProgram } from "../support/program.ts";
import { temporaryFolder } from "../support/service.ts";
import { until, within } from "../support/until.ts";

/** A closed store with a key. The file has 25 MB, which is more than a start reads. */
async function largeStore(context: TestContext) {
	const file = join(temporaryFolder(context), "s.db");
	const environment = { DATABASE_URL: `sqlite:${file}` };
	const key = await keyFor(environment.DATABASE_URL);
	const database = new Database(file);
	database.exec(`WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100000)
		INSERT INTO pets (name, category_id) SELECT hex(zeroblob(120)), 1 FROM n`);
	database.close();
	const create = (url: string) => callerOf(url, key).create();
	/** Leaves the store in the state after a crash. */
	async function crash(): Promise<void> {
		const service = await startProgram(context, environment);
		assert.equal((await create(service.url)).status, 201);
		await service.stop("SIGKILL");
	}
	/** Fills a page in the middle of the animals with zeros. */
	function damage(): void {
		const bytes = readFileSync(file);
		const page = bytes.readUInt16BE(16);
		const middle = Math.floor(bytes.length / page / 2);
		writeFileSync(file, bytes.fill(0, page * middle, page * (middle + 1)));
	}
	return { file, environment, key, create, crash, damage };
}

test("a large store with damage inside starts; verify finds it, and no backup is completed", async (context) => {
	const it = await largeStore(context);
	await it.crash();
	it.damage();
	const folder = `${it.file}-backups`;
	mkdirSync(folder);
	const service = await startProgram(context, { ...it.environment, BACKUP_TO: folder });
	const line = () => service.output.stdout.split("\n").find((text) => text.includes("backup failed"));
	await until("the backup to fail", () => line() !== undefined);
	assert.match(JSON.parse(line() ?? "").reason, /s\.db is damaged: restore a backup/);
	assert.deepEqual(readdirSync(folder), []);
	const read = await ask(`${service.url}/v1/pets`, { key: it.key });
	assert.equal(read.status, 200);
	assert.equal((await it.create(service.url)).status, 201);
	service.process.kill("SIGTERM");
	assert.equal((await within("the stop", service.finished)).code, 0);
	for (const command of [["verify"], ["backup", join(folder, "b.db")]]) {
		const { code, stderr } = await runProgram(command, { environment: it.environment });
		assert.equal(code, 1);
		assert.match(stderr, /s\.db is damaged: restore a backup/);
	}
	assert.deepEqual(readdirSync(folder), []);
	await assert.rejects(
		openStore(it.environment.DATABASE_URL, Date.now, { verify: "whole" }),
		/is damaged/,
		"a whole check, as before a copy",
	);
});

test("a large store that is truncated, or whose schema or ends are damaged, is refused at start", async (context) => {
	const it = await largeStore(context);
	const bytes = readFileSync(it.file);
	const page = bytes.readUInt16BE(16);
	const rows: [what: string, change: (copy: Buffer) => Buffer][] = [
		["truncated", (copy) => copy.subarray(0, page * 100)],
		["schema", (copy) => copy.fill(0x20, copy.indexOf("CREATE TABLE keys"), copy.indexOf("CREATE TABLE keys") + 5)],
		["first tables", (copy) => copy.fill(0, page, page * 20)],
	];
	for (const [what, change] of rows) {
		const copy = change(Buffer.from(bytes));
		writeFileSync(it.file, copy);
		const { code, stderr } = await begin(["serve"], {
			environment: { ...it.environment, PORT: "0", OPS_PORT: "0" },
		}).finished;
		assert.deepEqual([code, /is damaged: restore a backup/.test(stderr)], [1, true], `${what}: ${stderr}`);
		assert.ok(readFileSync(it.file).equals(copy), what);
	}
});
