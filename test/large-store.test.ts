// The start of a large store: what is cheap is checked before the first reply, and the rest in the background if the last
// service did not close the store. Damage stops writes.

import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import Database from "better-sqlite3";
import { openStore } from "../src/store/open.ts";
import { begin, runProgram, startProgram } from "./program.ts";
import { temporaryFolder } from "./service.ts";
import { until, within } from "./until.ts";

/** A closed store of 25 MB, which is more than is read at start, with a key. */
async function largeStore(context: TestContext) {
	const file = join(temporaryFolder(context), "s.db");
	const environment = { DATABASE_URL: `sqlite:${file}` };
	const key = (await runProgram(["keys", "create", "--name", "a"], { environment })).stdout.trim();
	const database = new Database(file);
	database.exec(`WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100000)
		INSERT INTO pets (name, category_id) SELECT hex(zeroblob(120)), 1 FROM n`);
	database.close();
	const create = (url: string) =>
		fetch(`${url}/v1/pets`, {
			method: "POST",
			headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
			body: '{"name":"a","categoryId":1}',
		});
	/** Leaves the store as a crash does. */
	async function crash(): Promise<void> {
		const service = await startProgram(context, environment);
		assert.equal((await create(service.url)).status, 201);
		service.process.kill("SIGKILL");
		await service.finished;
	}
	/** Zeros a page in the middle of the animals. */
	function damage(): void {
		const bytes = readFileSync(file);
		const page = bytes.readUInt16BE(16);
		const middle = Math.floor(bytes.length / page / 2);
		writeFileSync(file, bytes.fill(0, page * middle, page * (middle + 1)));
	}
	return { file, mark: `${file}-unverified`, environment, key, create, crash, damage };
}

type Service = Awaited<ReturnType<typeof startProgram>>;
const says = (service: Service, text: string) => () => service.output.stdout.includes(text);

async function stop(service: Service): Promise<void> {
	service.process.kill("SIGTERM");
	assert.equal((await within("the stop", service.finished)).code, 0);
}

test("after a clean stop, a large store is not read as a whole; after a SIGKILL it is, until it is found sound", async (context) => {
	const it = await largeStore(context);
	const clean = await startProgram(context, it.environment);
	await stop(clean);
	assert.ok(!says(clean, "verified in the background")());
	await it.crash();
	const stopped = await startProgram(context, it.environment);
	assert.ok(says(stopped, "was not closed by its last service: it is verified in the background")());
	assert.ok(existsSync(it.mark));
	await stop(stopped);
	if (!says(stopped, "is sound")()) assert.ok(existsSync(it.mark), "a stop before its end does not count");
	writeFileSync(it.mark, "");
	const verifying = await startProgram(context, it.environment);
	await until("the store to be verified", says(verifying, "s.db is sound: 100001 animals were verified in"));
	await until("the mark to go", () => !existsSync(it.mark));
	assert.equal((await it.create(verifying.url)).status, 201);
	await stop(verifying);
});

test("damage that the background finds stops writes, is one fatal line with the command, and is found again by the next start", async (context) => {
	const it = await largeStore(context);
	await it.crash();
	it.damage();
	for (let start = 0; start < 2; start++) {
		const service = await startProgram(context, it.environment);
		await until("the damage to be found", says(service, '"level":"fatal"'));
		const fatal = service.output.stdout.split("\n").filter((line) => line.includes('"level":"fatal"'));
		assert.equal(fatal.length, 1);
		const { msg } = JSON.parse(fatal[0] ?? "");
		assert.match(
			msg,
			/s\.db is damaged \(.+\): writes are rejected; .* animal-store restore BACKUP --to .*s\.db --force/s,
		);
		assert.match(msg, /animal-store verify .*s\.db lists what is wrong/);
		const refused = await it.create(service.url);
		assert.deepEqual([refused.status, ((await refused.json()) as { code: string }).code], [503, "storage_unavailable"]);
		const read = await fetch(`${service.url}/v1/pets`, { headers: { authorization: `Bearer ${it.key}` } });
		assert.equal(read.status, 200, "reads go on");
		const probe = async (path: string) => (await fetch(`${service.url}${path}`)).json();
		assert.deepEqual(await probe("/readyz"), { status: "ok", writes: "failing" });
		assert.deepEqual(await probe("/livez"), { status: "ok", writes: "failing" }, "a restart would not help");
		await stop(service);
	}
	assert.equal((await runProgram(["verify"], { environment: it.environment })).code, 1);
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

test("a restore removes the mark of an unverified store, and copy reads all of a large store first", async (context) => {
	const it = await largeStore(context);
	const backup = `${it.file}.backup`;
	await runProgram(["backup", backup], { environment: it.environment });
	await it.crash();
	writeFileSync(it.mark, "");
	assert.equal((await runProgram(["restore", backup, "--force"], { environment: it.environment })).code, 0);
	assert.ok(!existsSync(it.mark));
	it.damage();
	await assert.rejects(openStore(it.environment.DATABASE_URL, Date.now, { verify: "whole" }), /is damaged/);
});
