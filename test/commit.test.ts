// A create is acknowledged and readable only after its commit, and readable by all once it is acknowledged.

import assert from "node:assert/strict";
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import Database from "better-sqlite3";
import pg from "pg";
import { openStore } from "../src/store/open.ts";
import { testDatabase } from "./postgres.ts";
import { assertFailure, create, temporaryFolder, testService } from "./service.ts";
import { until } from "./until.ts";

/** The creates whose promise has been resolved. */
function watched(creates: Record<string, Promise<unknown>>): string[] {
	const resolved: string[] = [];
	for (const [name, create] of Object.entries(creates)) void create.then(() => resolved.push(name));
	return resolved;
}

test("sqlite: no create is acknowledged before its commit, with and without an Idempotency-Key", async (context) => {
	const file = join(temporaryFolder(context), "s.db");
	const store = await openStore(`sqlite:${file}`, Date.now);
	context.after(() => store.close());
	const other = new Database(file);
	context.after(() => other.close());
	await store.keys.touch([]);
	other.exec("BEGIN IMMEDIATE");
	const creates = {
		plain: store.createPet({ name: "a", categoryId: 1n }),
		keyed: store.createPet({ name: "b", categoryId: 1n }, { caller: "me", key: "k" }),
	};
	const acknowledged = watched(creates);
	for (let turn = 0; turn < 20; turn++) await stat(file);
	assert.deepEqual([acknowledged, store.queue.length], [[], 2]);
	other.exec("ROLLBACK");
	await Promise.all(Object.values(creates));
	assert.deepEqual(acknowledged, ["plain", "keyed"]);
});

test("postgres: no create is acknowledged before its commit, with and without an Idempotency-Key", async (context) => {
	const database = await testDatabase();
	const store = await openStore(database.url, Date.now);
	const holder = new pg.Client({ connectionString: database.url });
	await holder.connect();
	context.after(async () => {
		await holder.end();
		await store.close();
		await database.drop();
	});
	// What is deferred to the commit waits there for a lock that this test holds.
	await database.query(`CREATE FUNCTION wait() RETURNS trigger LANGUAGE plpgsql AS
		$$ BEGIN PERFORM pg_advisory_xact_lock(1); RETURN NULL; END $$;
		CREATE CONSTRAINT TRIGGER waits AFTER INSERT ON pets DEFERRABLE INITIALLY DEFERRED
		FOR EACH ROW EXECUTE FUNCTION wait()`);
	for (const idempotencyKey of [undefined, { caller: "me", key: "k" }]) {
		await holder.query("SELECT pg_advisory_lock(1)");
		const create = store.createPet({ name: "a", categoryId: 1n }, idempotencyKey);
		const acknowledged = watched({ create });
		await until("the commit to wait", async () => {
			const { rows } = await holder.query("SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted");
			return rows.length > 0;
		});
		assert.deepEqual(acknowledged, [], idempotencyKey ? "keyed" : "plain");
		await holder.query("SELECT pg_advisory_unlock(1)");
		assert.equal((await create).outcome, "created");
	}
});

test("sqlite: an acknowledged create is readable, even if the same turn has read before the commit", async (context) => {
	const file = join(temporaryFolder(context), "s.db");
	const store = await openStore(`sqlite:${file}`, Date.now);
	context.after(() => store.close());
	const other = new Database(file);
	context.after(() => other.close());
	const last = other.prepare("SELECT coalesce(max(id), 0) FROM pets").pluck();
	const pause = new Int32Array(new SharedArrayBuffer(4));
	for (let id = 1; id <= 5; id++) {
		other.exec("BEGIN IMMEDIATE"); // The writer waits for this lock.
		const created = store.createPet({ name: "a", categoryId: 1n });
		await turn(); // Sends the batch.
		// This continues in the callback of a thread; the writer's message is the next callback of the same turn.
		await stat(file);
		const earlier = store.getPet(BigInt(id));
		other.exec("COMMIT");
		for (let waited = 0; Number(last.get()) < id; waited++) {
			assert.ok(waited < 20_000, "the writer did not commit");
			Atomics.wait(pause, 0, 0, 1);
		}
		await created;
		assert.equal((await store.getPet(BigInt(id)))?.id, BigInt(id));
		await earlier;
	}
});

/** Lets the writer thread report that its next batch failed in this way. */
function failNextBatch(context: TestContext, code: string): void {
	const { postMessage } = Worker.prototype;
	const mock = context.mock.method(Worker.prototype, "postMessage", function (this: Worker, ...given: [unknown]) {
		if (typeof given[0] !== "object") return postMessage.apply(this, given);
		mock.mock.restore();
		setImmediate(() => this.emit("message", { kind: "failed", code, message: "disk I/O error" }));
	});
}

test("after a failed sync nothing is acknowledged, one fatal line is logged, liveness fails, and reads work", async (context) => {
	const { send, store, log } = await testService(context);
	await store.keys.touch([]);
	const plain = create({ name: "a", categoryId: 1 });
	const keyed = create({ name: "a", categoryId: 1 }, { "Idempotency-Key": "k" });
	for (const request of [plain, keyed]) assert.equal((await send(request)).status, 201);
	failNextBatch(context, "SQLITE_IOERR_WRITE");
	assertFailure(await send(keyed), "storage_unavailable");
	assert.equal((await send(plain)).status, 201, "another failure may pass");
	failNextBatch(context, "SQLITE_IOERR_FSYNC");
	for (const request of [plain, plain, keyed]) assertFailure(await send(request), "storage_unavailable");
	assertFailure(await send({ path: "/livez" }), "storage_unavailable");
	assert.equal((await send({ path: "/readyz" })).body, '{"status":"ok","writes":"stopped"}');
	assert.equal((await send({ path: "/v1/pets" })).status, 200);
	const fatal = log.filter(({ level }) => level === "fatal").map(({ msg }) => msg);
	assert.equal(fatal.length, 1);
	assert.match(String(fatal[0]), /^a sync of .* failed: writes are rejected until the service is restarted$/);
});
