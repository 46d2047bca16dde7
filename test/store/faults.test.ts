// Faults of the embedded store: kills, a full, slow or failing disk, a stop under load, and clock jumps.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { type TestContext, test } from "node:test";
import { Worker } from "node:worker_threads";
import { createKey } from "../../src/keys/issue.ts";
import { proveFullDisk } from "../proofs/full.ts";
import { proveNodeCrashes, stopAtOnce } from "../proofs/nodes.ts";
import { listAll } from "../support/ledger.ts";
import { freePort } from "../support/postgres-server.ts";
import { startProgram } from "../support/program.ts";
import { withKey } from "../support/proof.ts";
import { seed } from "../support/random.ts";
import { figureOf } from "../support/scrape.ts";
import { assertFailure, create, type TestService, temporaryStore, testService } from "../support/service.ts";
import { runSql } from "../support/sql.ts";
import { slowMs, until, within } from "../support/until.ts";
import { engines } from "./engines.ts";

for (const [engine, make] of Object.entries(engines)) {
	// The proof crash kills the service many times.
	test(`${engine}: an acknowledged animal survives every SIGKILL, and no id or key is used twice`, {
		timeout: slowMs, // The service is started three times, and killed twice.
	}, async (context) => {
		const { environment, key } = await withKey((await make(context)).databaseUrl);
		const shared = { ...environment, PORT: String(await freePort()) };
		const start = () => startProgram(context, shared);
		const { proven, nodes } = await proveNodeCrashes({ start, key, kills: 2, seed, count: 1 });
		await stopAtOnce(nodes);
		assert.ok(proven.acknowledged >= 120, JSON.stringify(proven));
	});
}

test("with a full disk, creates get 503, reads work, and the service recovers by itself", async (context) => {
	const { environment, key } = await withKey(temporaryStore(context));
	// A limit on the size of files simulates a full disk, because writes beyond the limit fail.
	const under = ["bash", "-c", 'ulimit -S -f 400; exec "$@"', "-"];
	const service = await startProgram(context, environment, { under });
	const makeRoom = () => execFileSync("prlimit", ["--fsize=unlimited:", "--pid", String(service.pid)]);
	await proveFullDisk(service, key, makeRoom);
	const { code, stdout } = await service.stop();
	assert.equal(code, 0);
	assert.ok(/"level":"error".*SQLITE_/.test(stdout), "operators see the cause");
	assert.deepEqual(await runSql(environment.DATABASE_URL, "PRAGMA integrity_check"), [{ integrity_check: "ok" }]);
});

test("a clock jump of an hour in either direction affects only expiry", async (context) => {
	const { send, clock, issuer } = await testService(context, { environment: { RATE_LIMIT: "1000/1m" } });
	const startMs = Date.now();
	const hourMs = 3_600_000;
	clock.nowMs = startMs;
	const { key } = await createKey(issuer, { name: "a", scopes: ["pets:read"], expiresInMs: hourMs });
	const headers = { Authorization: `Bearer ${key}` };
	let id = 0;
	for (const jumpMs of [0, hourMs, -hourMs, 0, 24 * hourMs, -24 * hourMs]) {
		clock.nowMs = startMs + jumpMs;
		const created = await send(create({ name: "a", categoryId: 1 }, { "Idempotency-Key": `k${jumpMs}${id}` }));
		assert.equal(JSON.parse(created.body).id, ++id);
		assert.equal((await send({ path: `/v1/pets/${id}` })).status, 200);
		assert.equal((await send({ path: "/readyz" })).status, 200);
		assert.equal((await send({ path: "/v1/pets", headers })).status, jumpMs >= hourMs ? 401 : 200, "expiry");
	}
});

/** Simulates a hanging disk: writer threads get no messages. @returns a function that ends the hang */
function hang(context: TestContext): () => void {
	const { postMessage } = Worker.prototype;
	const held: (() => void)[] = [];
	const mock = context.mock.method(Worker.prototype, "postMessage", function (this: Worker, ...given: [unknown]) {
		held.push(() => postMessage.apply(this, given));
	});
	return () => {
		mock.mock.restore();
		for (const send of held) send();
	};
}

test("while a commit hangs, creates are refused after CREATE_WAIT_MAX, and never stored", async (context) => {
	const service = await testService(context, { environment: { CREATE_WAIT_MAX: "1s" } });
	const { send } = service;
	const named = (name: string) => send(create({ name, categoryId: 1 }, { "Idempotency-Key": name }));
	await until("the writes of the start to end", () => service.store.queue.length === 0);
	const release = hang(context);
	const first = named("first");
	await until("the first to be queued", () => service.store.queue.length === 1);
	const late = await within("a refusal", named("waiting"));
	assertFailure(late, "overloaded");
	assert.ok(Number(late.headers["retry-after"]) >= 2, "as long as the store needs");
	const taken = context.mock.method(service.store, "createPet");
	const refused = await named("refused");
	assertFailure(refused, "overloaded");
	assert.equal(taken.mock.callCount(), 0, "the create is refused without waiting");
	taken.mock.restore();
	assert.ok(Number(refused.headers["retry-after"]) >= 2, "the queue drains slowly");
	assert.equal((await send({ path: "/readyz" })).body, '{"status":"ok","writes":"slow"}');
	assert.equal((await send({ path: "/v1/pets" })).status, 200, "reads continue");
	assert.ok((await waitingWrites(service)) >= 1, "background work may wait, too");
	release();
	assert.equal((await within("the first", first)).status, 201);
	await until("writes to work", async () => (await send({ path: "/readyz" })).body.includes('"working"'));
	const retried = await named("waiting");
	assert.deepEqual([retried.status, retried.headers["idempotency-replayed"]], [201, undefined]);
	const names = (await listAll(service.url, service.key)).map(({ name }) => name);
	assert.deepEqual(names, ["first", "waiting"]);
	await until("the queue to be empty", async () => (await waitingWrites(service)) === 0);
});

const waitingWrites = (service: TestService) => figureOf(service, "animal_store_writes_waiting");

test("after the writer thread is lost, creates get 503, reads work, and livez fails", async (context) => {
	let writer: Worker | undefined;
	process.once("worker", (thread) => {
		writer = thread;
	});
	const { send } = await testService(context);
	assert.equal((await send(create({ name: "a", categoryId: 1 }))).status, 201);
	await writer?.terminate();
	assertFailure(await send(create({ name: "b", categoryId: 1 })), "storage_unavailable");
	assertFailure(await send({ path: "/livez" }), "storage_unavailable");
	assert.equal((await send({ path: "/readyz" })).body, '{"status":"ok","writes":"stopped"}');
	assert.equal((await send({ path: "/v1/pets" })).body, '[{"id":1,"name":"a","categoryId":1}]');
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
