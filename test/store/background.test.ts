// Background work while the store is stalled, locked, full or broken. It affects no request and is done later, and
// creates get a reply in time.

import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import Database from "better-sqlite3";
import { backgroundTasks } from "../../src/store/background.ts";
import { listAll } from "../support/ledger.ts";
import { samplesOf } from "../support/scrape.ts";
import { beforeStop, create, type TestService, testService } from "../support/service.ts";
import { connect, runSql } from "../support/sql.ts";
import { until, within } from "../support/until.ts";

const states = ["stalled", "locked", "full", "broken"] as const;
type State = (typeof states)[number];
/** A function that ends the obstruction. */
type End = () => Promise<unknown>;

/** The error codes that SQLite's writer thread reports. */
const codes = { full: "SQLITE_FULL", broken: "SQLITE_ERROR" };

async function obstructSqlite(context: TestContext, { databaseUrl }: TestService, state: State): Promise<End> {
	if (state === "locked") {
		const other = new Database(databaseUrl.slice("sqlite:".length));
		other.exec("BEGIN IMMEDIATE");
		return async () => other.close();
	}
	const { postMessage } = Worker.prototype;
	const held: (() => void)[] = [];
	const mock = context.mock.method(Worker.prototype, "postMessage", function (this: Worker, ...given: [unknown]) {
		if (state === "stalled") held.push(() => postMessage.apply(this, given));
		else setImmediate(() => this.emit("message", { kind: "failed", code: codes[state], message: state }));
	});
	return async () => {
		mock.mock.restore();
		for (const send of held) send();
	};
}

const written = ["pets", "counters", "key_uses", "idempotency_keys"];
const bodies = {
	stalled: "PERFORM pg_sleep(60)",
	full: "RAISE EXCEPTION 'full' USING ERRCODE = 'disk_full'",
	broken: "RAISE EXCEPTION 'broken'",
};

async function obstructPostgres(context: TestContext, { databaseUrl }: TestService, state: State): Promise<End> {
	if (state === "locked") {
		const client = await connect(context, databaseUrl);
		await client.query(`BEGIN; LOCK TABLE ${written.join(", ")} IN SHARE MODE`);
		return () => client.end();
	}
	const triggers = written.map(
		(table) => `CREATE TRIGGER obstruct BEFORE INSERT OR UPDATE OR DELETE ON ${table} EXECUTE FUNCTION obstruct();`,
	);
	const obstruct = `LANGUAGE plpgsql AS $$ BEGIN ${bodies[state]}; RETURN NULL; END $$`;
	await runSql(databaseUrl, `CREATE FUNCTION obstruct() RETURNS trigger ${obstruct}; ${triggers.join("\n")}`);
	return () => runSql(databaseUrl, "DROP FUNCTION obstruct() CASCADE");
}

const isPostgres = process.env["TEST_ENGINE"] === "postgres";
const obstruct = isPostgres ? obstructPostgres : obstructSqlite;
/** The least rounds: the schedule's short and long intervals pass. */
const roundsMin = 3;

for (const state of states) {
	test(`while writes are ${state}, background work waits, reads continue, creates are answered`, async (context) => {
		context.mock.timers.enable({ apis: ["setInterval"] });
		const service = await testService(context, { environment: { CREATE_WAIT_MAX: "1s" }, mixes: false });
		const { send, log, key } = service;
		/** On PostgreSQL, a stalled write does not hang: the server ends statements that take too long. */
		const hangs = state === "stalled" && !isPostgres;
		const ending = await obstruct(context, service, state);
		let ended: Promise<unknown> | undefined;
		const end = async () => {
			ended ??= ending();
			await ended;
		};
		beforeStop(context, end);
		const failures = async (): Promise<Record<string, number>> => {
			const samples = await samplesOf(service, "animal_store_background_failures_total");
			return Object.fromEntries(samples.map(({ labels, value }) => [String(labels["task"]), value]));
		};
		const answers: { name: string; status: number; code: string }[] = [];
		const tries: Promise<unknown>[] = [];
		async function tryToCreate(name: string): Promise<void> {
			const { status, body } = await send(create({ name, categoryId: 1 }));
			answers.push({ name, status, code: JSON.parse(body).code });
		}
		for (let round = 0; round < roundsMin || answers.length < roundsMin; round++) {
			assert.equal((await send({ path: "/v1/pets" })).status, 200);
			assert.equal((await send({ path: "/readyz" })).status, 200);
			// If writes hang, background work starts first and creates wait behind it. Otherwise a create is queued first.
			const isQueued = () => service.store.queue.length > 0 || answers.length > 0;
			if (!hangs) {
				tries.push(tryToCreate(`try ${round}`));
				await until("the create to be queued", isQueued);
			}
			context.mock.timers.tick(round === 1 ? 600_000 : 5_000);
			if (hangs) {
				await until("background work to be queued", isQueued);
				tries.push(tryToCreate(`try ${round}`));
			}
			await sleep(200); // Other callers come more slowly than the loop turns.
		}
		await within("all answers", Promise.all(tries));
		for (const { status } of answers) assert.ok(status >= 500, `${status}`);
		if (hangs) assert.deepEqual(Object.values(await failures()), Array(backgroundTasks.length).fill(0), "work waits");
		else await until("a failure", async () => ((await failures())["key use"] ?? 0) > 0);
		await end();

		await until("the next create", async () => (await send(create({ name: "next", categoryId: 1 }))).status === 201);
		await until("the use of the key to be stored", async () => {
			context.mock.timers.tick(5_000);
			return (await service.store.keys.list()).some(({ usedAtMs }) => usedAtMs["createPet"]);
		});
		const failed = await failures();
		assert.deepEqual(Object.keys(failed), backgroundTasks);
		for (const [task, count] of Object.entries(failed)) {
			const lines = log.filter((line) => line["task"] === task && line["level"] === "error");
			assert.equal(lines.length, Math.min(count, 1), `${task}: ${count}`);
		}
		const names = (await listAll(service.url, key)).map(({ name }) => name);
		for (const { name, code } of answers)
			assert.ok(code !== "overloaded" || !names.includes(name), `${name} was refused`);
		context.mock.timers.reset();
	});
}

test("a service removes Idempotency-Keys after a day", async (context) => {
	context.mock.timers.enable({ apis: ["setInterval"] });
	const { send, databaseUrl, clock } = await testService(context, { mixes: false });
	const kept = async () => (await runSql(databaseUrl, "SELECT key FROM idempotency_keys")).length;
	assert.equal((await send(create({ name: "Rex", categoryId: 1 }, { "Idempotency-Key": "a" }))).status, 201);
	assert.equal(await kept(), 1);
	clock.nowMs = Date.now() + 25 * 3_600_000;
	await until("a sweep", async () => {
		context.mock.timers.tick(90_000); // The longest time between two sweeps.
		return (await kept()) === 0;
	});
	context.mock.timers.reset();
});
