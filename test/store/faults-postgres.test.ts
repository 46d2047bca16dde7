// Faults with PostgreSQL: a lost, frozen or disconnected database server, and nodes that start and stop.

import assert from "node:assert/strict";
import { test } from "node:test";
import { proveFrozen } from "../proofs/pooler.ts";
import { ask, type Caller, callerOf } from "../support/caller.ts";
import { assertRefused, callWell } from "../support/command.ts";
import { listAll } from "../support/ledger.ts";
import { startMixedLoad } from "../support/mixed-load.ts";
import { databaseFor } from "../support/postgres.ts";
import { keyFor, startProgram } from "../support/program.ts";
import { testService } from "../support/service.ts";
import { connect, runSql, setOnServer } from "../support/sql.ts";
import { serviceOnServer } from "../support/standby.ts";
import { withStore } from "../support/store-reads.ts";
import { until } from "../support/until.ts";
import type { Reply } from "../support/wire.ts";
import { engines } from "./engines.ts";

const rex = { name: "Rex", categoryId: 1n };
const status = async (url: string) => (await ask(url)).status;

test("while the server is down or frozen, requests get 503, and all succeed after its return", async (context) => {
	const { server, service, key } = await serviceOnServer(context);
	const { ledger, statuses, acknowledges, isRefused, stop } = startMixedLoad([service.url], key);
	const faults = {
		"down (kill -9)": { begin: server.kill, end: server.start },
		"frozen (SIGSTOP)": { begin: () => server.signal("STOP"), end: () => server.signal("CONT") },
	};
	for (const [fault, { begin, end }] of Object.entries(faults)) {
		await acknowledges(100);
		await begin();
		// One more for each client: while the server is frozen, a create waits for 5 s.
		await isRefused((statuses.get(503) ?? 0) + 8);
		const probes = await Promise.all(["readyz", "livez"].map((path) => status(`${service.url}/${path}`)));
		assert.deepEqual(probes, [503, 200], fault);
		assert.equal((await ask(`${service.url}/v1/pets`, { key })).status, 503, fault);
		await end();
		await acknowledges(50);
		assert.equal(await status(`${service.url}/readyz`), 200, fault);
	}
	await stop();
	ledger.verify(await listAll(service.url, key));
});

test("cut connections cause at most 503s, lose no animal, and are not leaked", async (context) => {
	const database = await databaseFor(context);
	const key = await keyFor(database.url);
	const service = await startProgram(context, { DATABASE_URL: database.url });
	const { ledger, acknowledges, stop } = startMixedLoad([service.url], key);
	const connections = "FROM pg_stat_activity WHERE application_name = 'animal-store' AND datname = current_database()";
	for (let cut = 0; cut < 8; cut++) {
		await acknowledges(50);
		await database.query(`SELECT pg_terminate_backend(pid) ${connections}`);
	}
	await stop();
	ledger.verify(await listAll(service.url, key));
	const { length } = await database.query(`SELECT ${connections}`);
	assert.ok(length <= 10, `${length} connections`);
	assert.equal(service.process.exitCode, null, "the node is still running");
});

test("a write is visible on all nodes immediately; a revoked key stops on all", async (context) => {
	const { url } = await databaseFor(context);
	const environment = { DATABASE_URL: url };
	const nodes = await Promise.all([1, 2, 3].map(() => testService(context, { environment, mixes: false })));
	const key = await keyFor(url);
	const callers = nodes.map((node) => callerOf(node.url, key));
	/** Sends a request again that found no connection in time, as on a busy machine. */
	const answered = async (send: () => Promise<Reply>): Promise<Reply> => {
		const reply = await send();
		return reply.status === 503 ? answered(send) : reply;
	};
	await Promise.all(
		Array.from({ length: 60 }, async (_, round) => {
			const [here, there, elsewhere] = [0, 1, 2].map((step) => callers[(round + step) % 3]) as [Caller, Caller, Caller];
			const created = await answered(() => here.create(undefined, `k${round}`));
			assert.equal(created.status, 201);
			const got = await answered(() => there.get(`/v1/pets/${JSON.parse(created.body).id}`));
			assert.equal(got.status, 200, "the create is visible");
			const { headers, body } = await answered(() => elsewhere.create(undefined, `k${round}`));
			assert.deepEqual([headers["idempotency-replayed"], body], ["true", created.body]);
		}),
	);
	const row = JSON.parse(await callWell(["keys", "list", "--json"], { environment })).at(-1);
	await callWell(["keys", "revoke", row.id], { environment });
	const isRefused = async ({ get }: Caller) => (await get()).status === 401;
	for (const node of callers) await until("the revoked key to stop working", () => isRefused(node));
});

test("a commit that no standby confirms is a 503, until one does: then a repeat returns it", async (context) => {
	const { server, service, key } = await serviceOnServer(context);
	const url = server.databaseUrl;
	const caller = callerOf(service.url, key);
	const create = async (idempotencyKey?: string) => {
		const reply = await caller.create({ name: idempotencyKey ?? "plain", categoryId: 1 }, idempotencyKey);
		return `${reply.status} ${reply.headers["idempotency-replayed"] ?? "first"}`;
	};
	assert.equal(await create("before"), "201 first");
	// Without these settings of the service's own, commits would neither wait nor be reported.
	await setOnServer(url, "synchronous_commit", "local");
	await setOnServer(url, "client_min_messages", "error");
	await setOnServer(url, "synchronous_standby_names", "*");
	/** Cancels waiting commits like an operator, before the server's statement_timeout cancels them. */
	const cancelling = setInterval(
		() => runSql(url, "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'"),
		500,
	);
	context.after(() => clearInterval(cancelling));
	for (const idempotencyKey of [undefined, "a", "a", "before"])
		assert.equal(await create(idempotencyKey), "503 first", idempotencyKey ?? "plain");
	const rename = ["pets", "rename", "1", "Max"];
	await assertRefused([[rename, /the outcome is unknown/]], { environment: { DATABASE_URL: url } });
	clearInterval(cancelling);
	await setOnServer(url, "synchronous_standby_names", "");
	assert.deepEqual([await create("a"), await create("before")], ["201 true", "201 true"]);
	const names = (await listAll(service.url, key)).map(({ name }) => name);
	assert.deepEqual(names, ["Max", "plain", "a"]);
});

test("a program that is frozen in an edit delays other edits for less than 5 s", async (context) => {
	const { url } = await databaseFor(context);
	await withStore(url, ({ createPet }) => Promise.all([createPet(rex), createPet(rex)]));
	await proveFrozen(url, url, context);
});

test("edits that wait for a lock hold a quarter of the connections; the node lists and creates", async (context) => {
	const { open, databaseUrl: url } = await engines.postgres(context);
	const store = await open();
	await store.createPet(rex);
	const edit = () => store.edits.apply({ petId: 1n, editor: "desk", action: "rename", name: "Max" });
	const holder = await connect(context, url);
	await holder.query("BEGIN; SELECT FROM counters WHERE name = 'edits' FOR UPDATE");
	const refused = Array.from({ length: 12 }, () => assert.rejects(edit, { name: "StorageUnavailable" }));
	const isWaiting = "datname = current_database() AND wait_event_type = 'Lock'";
	const waiting = async () => (await runSql(url, `SELECT FROM pg_stat_activity WHERE ${isWaiting}`)).length;
	const inUse = async () => (await store.readUse()).pool?.inUse ?? 0;
	await until("edits to wait", async () => (await waiting()) > 0 && (await inUse()) > 0);
	// Lists with different limits are different statements, and each statement needs a connection.
	const lists = Array.from({ length: 20 }, (_, page) => store.listPets({ after: 0n, limit: page + 1 }));
	await Promise.all([...lists, store.createPet(rex)]);
	const most = await waiting();
	assert.ok(most <= 2, `${most} of ten`);
	await Promise.all(refused);
	await holder.end();
	assert.equal((await edit()).outcome, "edited");
	assert.equal(await inUse(), 0);
});
