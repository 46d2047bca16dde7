// An acknowledged create is visible to all readers, and nothing is acknowledged after a failed sync.

import assert from "node:assert/strict";
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { setImmediate as tick } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import Database from "better-sqlite3";
import { openStore } from "../../src/store/open.ts";
import { assertFailure, create, temporaryFolder, testService } from "../support/service.ts";
import { readPet } from "../support/store-reads.ts";

test("sqlite: an acknowledged create is readable, even if its tick has read before the commit", async (context) => {
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
		await tick(); // The store sends the batch in this tick.
		// After this, the test runs in a callback of Node's thread pool. The writer's message comes later in the same tick.
		await stat(file);
		const earlier = store.getPet(BigInt(id));
		other.exec("COMMIT");
		for (let waited = 0; Number(last.get()) < id; waited++) {
			assert.ok(waited < 20_000, "the writer did not commit");
			Atomics.wait(pause, 0, 0, 1);
		}
		await created;
		assert.equal((await readPet(store, BigInt(id)))?.id, BigInt(id));
		await earlier;
	}
});

/** Makes the writer thread report that the next batch failed with this code. */
function failNextBatch(context: TestContext, code: string): void {
	const { postMessage } = Worker.prototype;
	const mock = context.mock.method(Worker.prototype, "postMessage", function (this: Worker, ...given: [unknown]) {
		if (typeof given[0] !== "object") return postMessage.apply(this, given);
		mock.mock.restore();
		setImmediate(() => this.emit("message", { kind: "failed", code, message: "disk I/O error" }));
	});
}

test("after a failed sync nothing is acknowledged, one fatal line is logged, and reads work", async (context) => {
	const { send, store, log } = await testService(context);
	await store.keys.touch([]);
	const plain = create({ name: "a", categoryId: 1 });
	const keyed = create({ name: "a", categoryId: 1 }, { "Idempotency-Key": "k" });
	for (const request of [plain, keyed]) assert.equal((await send(request)).status, 201);
	failNextBatch(context, "SQLITE_IOERR_WRITE");
	assertFailure(await send(keyed), "storage_unavailable");
	assert.equal((await send(plain)).status, 201, "after other failures, creates work again");
	failNextBatch(context, "SQLITE_IOERR_FSYNC");
	for (const request of [plain, plain, keyed]) assertFailure(await send(request), "storage_unavailable");
	assertFailure(await send({ path: "/livez" }), "storage_unavailable");
	assert.equal((await send({ path: "/readyz" })).body, '{"status":"ok","writes":"stopped"}');
	assert.equal((await send({ path: "/v1/pets" })).status, 200);
	const fatal = log.filter(({ level }) => level === "fatal").map(({ msg }) => msg);
	assert.equal(fatal.length, 1);
	assert.match(String(fatal[0]), /^a sync of .* failed: writes are rejected until the service is restarted$/);
});
