// Reads from replicas over real asynchronous standbys: as exact as reads from the primary, and no slower than a short
// limit when a standby is away, behind, or not a standby of this store.

import assert from "node:assert/strict";
import { randomBytes, randomInt } from "node:crypto";
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { after, before, type TestContext, test } from "node:test";
import { type Pet, petStatuses } from "../src/contract/pet.ts";
import { openStore } from "../src/store/open.ts";
import { endOfList, type PageQuery, type PetPage, StorageUnavailable, type Store } from "../src/store/store.ts";
import { requireStandby } from "./postgres.ts";
import { type PostgresServer, startPostgres } from "./postgres-server.ts";
import { seededRandom } from "./random.ts";
import { figureOf, samplesOf } from "./scrape.ts";
import { testService } from "./service.ts";
import { runSql } from "./sql.ts";
import { until, within } from "./until.ts";

let primary: PostgresServer;
let standby: PostgresServer;
before(async () => {
	primary = await startPostgres(["-c", "max_connections=200"]);
	standby = await primary.replica();
});
after(async () => {
	await standby.remove();
	await primary.remove();
});

/** What a test opened, which ends in reverse order, also when something of it does not end well. */
const opened = new WeakMap<TestContext, (() => Promise<unknown>)[]>();

function atEnd(context: TestContext, end: () => Promise<unknown>): void {
	const earlier = opened.get(context);
	if (earlier) return void earlier.push(end);
	const ends = [end];
	opened.set(context, ends);
	context.after(async () => {
		const outcomes = [];
		for (const one of ends.toReversed()) outcomes.push(...(await Promise.allSettled([one()])));
		for (const outcome of outcomes) if (outcome.status === "rejected") throw outcome.reason;
	});
}

const rex = { name: "Rex", categoryId: 1n };

/** A new database on the primary, as soon as the standby has it. */
async function newDatabase() {
	const name = `test_${randomBytes(8).toString("hex")}`;
	await runSql(`${primary.url}/postgres`, `CREATE DATABASE ${name} TEMPLATE template0`);
	const [url, readUrl] = [`${primary.url}/${name}`, `${standby.url}/${name}`];
	await until("the standby to have the database", () => isReadable(readUrl));
	return { url, readUrl };
}

const isReadable = (url: string) =>
	runSql(url, "SELECT 1").then(
		() => true,
		() => false,
	);

/** A node of its own. */
async function openNode(context: TestContext, url: string, readUrls: string[], notices: string[] = []): Promise<Store> {
	const onNotice = (text: string) => void notices.push(text);
	const store = await openStore(url, Date.now, { readUrls, random: Math.random, onNotice, onWarning: onNotice });
	atEnd(context, () => store.close());
	return store;
}

async function openPair(context: TestContext, notices?: string[]) {
	const { url, readUrl } = await newDatabase();
	const store = await openNode(context, url, [readUrl], notices);
	await inUse(store);
	return { store, url, readUrl };
}

const isInUse = async (store: Store) => (await store.readUse()).replicas?.some((replica) => replica.isInUse) ?? false;
const inUse = (store: Store) => until("a replica to be in use", () => isInUse(store));
const readsOf = async (store: Store) => (await store.readUse()).reads ?? { primary: 0, replica: 0 };

async function createMany(store: Store, count: number): Promise<void> {
	await Promise.all(Array.from({ length: count }, (_, index) => store.createPet({ ...rex, name: `n${index}` })));
}

async function pauseReplay(context: TestContext): Promise<{ resume(): Promise<void> }> {
	const resume = async () => void (await runSql(`${standby.url}/postgres`, "SELECT pg_wal_replay_resume()"));
	atEnd(context, resume);
	await runSql(`${standby.url}/postgres`, "SELECT pg_wal_replay_pause()");
	await until("the pause", async () => {
		const [row] = await runSql(`${standby.url}/postgres`, "SELECT pg_get_wal_replay_pause_state() AS state");
		return row?.["state"] === "paused";
	});
	return { resume };
}

/** Waits until the standby has what the primary has written. */
async function caughtUp(): Promise<void> {
	const [row] = await runSql(`${primary.url}/postgres`, "SELECT pg_current_wal_lsn() AS lsn");
	await until("the standby to catch up", async () => {
		const replayed = `SELECT pg_last_wal_replay_lsn() >= '${row?.["lsn"]}' AS done`;
		return (await runSql(`${standby.url}/postgres`, replayed))[0]?.["done"] === true;
	});
}

/** Writers that read each animal back at once, and a poller of the last page, which must see every id once. */
async function writeAndPoll(store: Store, { writers, each, from }: { writers: number; each: number; from: bigint }) {
	let isWriting = true;
	let seen = from;
	const poll = async () => {
		const { pets, hasMore } = await store.listPets({ after: seen, limit: 20 });
		for (const { id } of pets) assert.equal(id, ++seen, "nothing missed, nothing twice");
		return hasMore;
	};
	const polling = (async () => {
		while (isWriting) await poll();
		while (await poll());
	})();
	const random = seededRandom(randomInt(2 ** 31));
	const writing = Array.from({ length: writers }, async () => {
		for (let count = 0; count < each; count++) {
			const { id } = await store.createPet(rex);
			const [own, page, last] = await Promise.all([
				store.getPet(id),
				store.listPets({ after: id - 1n, limit: 1 }),
				store.listPets({ upTo: endOfList, limit: 100 }),
			]);
			assert.equal(own?.id, id);
			assert.equal(page.pets[0]?.id, id);
			assert.ok((last.pets.at(-1)?.id ?? 0n) >= id);
			const old = BigInt(1 + Math.floor(random() * Number(from)));
			assert.equal((await store.getPet(old))?.id, old);
		}
	});
	await Promise.all(writing).finally(() => {
		isWriting = false;
	});
	await within("the poller to end", polling);
	assert.equal(seen, from + BigInt(writers * each));
}

/** One of the animals, read as often as it takes until a replica has answered. */
async function readFromReplica(store: Store): Promise<void> {
	const { replica } = await readsOf(store);
	await until("a read from a replica", async () => {
		await store.getPet(1n).catch(() => {});
		return (await readsOf(store)).replica > replica;
	});
}

/** What a page must be, from all animals. */
function pageOf(pets: Pet[], { after, upTo, status, limit }: PageQuery): PetPage {
	const rest = pets.filter((pet) => (status ? pet.status === status : true));
	const found = rest.filter(({ id }) => (upTo === undefined ? id > after : id <= upTo));
	const page = upTo === undefined ? found.slice(0, limit) : found.slice(-limit);
	return { pets: page, hasMore: found.length > limit };
}

test("while a replica's replay is paused, own writes are in the next read, a poller misses nothing, and old pages and animals come from the replica", async (context) => {
	const { store } = await openPair(context);
	await createMany(store, 300);
	await caughtUp();
	await until("the replica to show all", async () => {
		const { replica } = await readsOf(store);
		await store.getPet(300n);
		return (await readsOf(store)).replica > replica;
	});
	await pauseReplay(context);
	await until("the last page to come from the replica", async () => {
		const { replica } = await readsOf(store);
		await store.listPets({ upTo: endOfList, limit: 2 });
		return (await readsOf(store)).replica > replica;
	});
	const { id } = await store.createPet(rex);
	assert.equal((await store.listPets({ upTo: id, limit: 2 })).pets.at(-1)?.id, id);
	const before = await readsOf(store);
	await writeAndPoll(store, { writers: 4, each: 30, from: id });
	for (const after of [0n, 100n, 200n])
		assert.equal((await store.listPets({ after, limit: 50 })).pets.at(-1)?.id, after + 50n);
	for (const upTo of [50n, 300n]) assert.equal((await store.listPets({ upTo, limit: 30 })).pets.at(-1)?.id, upTo);
	const reads = await readsOf(store);
	assert.ok(reads.replica - before.replica >= 100, JSON.stringify({ before, reads }));
	context.diagnostic(
		JSON.stringify({ primary: reads.primary - before.primary, replica: reads.replica - before.replica }),
	);
});

test("what only a replica shows yet, because the primary waits for a synchronous standby, is not read", async (context) => {
	const { store, url, readUrl } = await openPair(context);
	await createMany(store, 20);
	await requireStandby(`${primary.url}/postgres`, "none");
	const create = `BEGIN; UPDATE counters SET last_id = 21 WHERE name = 'pets';
		INSERT INTO pets (id, name, category_id) VALUES (21, 'Rex', 1); COMMIT`;
	const creating = runSql(url, create);
	const read = () =>
		Promise.all([
			store.getPet(21n),
			store.listPets({ upTo: 21n, limit: 2 }).then(({ pets }) => pets.map(({ id }) => id)),
			store.listPets({ after: 0n, limit: 20 }).then(({ hasMore }) => hasMore),
		]);
	try {
		const shown = "SELECT clock_timestamp()::text AS at FROM pets WHERE id = 21";
		const [row] = await until("the replica to show it", async () => {
			const rows = await runSql(readUrl, shown);
			return rows.length > 0 && rows;
		});
		const probes = `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND state = 'idle'
			AND query LIKE '%pg_last_wal_replay_lsn()%' AND pid <> pg_backend_pid() AND query_start > '${row?.["at"]}'`;
		await until("the node to notice", async () => (await runSql(readUrl, probes)).length > 0);
		assert.deepEqual(await read(), [undefined, [19n, 20n], false]);
	} finally {
		await requireStandby(`${primary.url}/postgres`, "");
		await creating;
	}
	assert.deepEqual(await read(), [{ id: 21n, ...rex }, [20n, 21n], true]);
});

test("an edit of any node is in the next read although the replica has not replayed it, and kept pages follow it", async (context) => {
	const notices: string[] = [];
	const { store, url } = await openPair(context, notices);
	const other = await openNode(context, url, []);
	await createMany(store, 60);
	await caughtUp();
	const page = { after: 0n, limit: 20 };
	await readFromReplica(store);
	const { resume } = await pauseReplay(context);
	for (const [index, editing] of [other, store].entries()) {
		const name = `renamed ${index}`;
		const [renamed, removed, sold] = [5n, 6n, 7n].map((id) => id + 10n * BigInt(index)) as [bigint, bigint, bigint];
		const base = { editor: "operator" };
		await store.listPets(page);
		await editing.edits.apply({ ...base, petId: renamed, action: "rename", name });
		assert.equal((await store.getPet(renamed))?.name, name);
		assert.equal(await isInUse(store), false, "the read leaves the replica out");
		assert.ok((await store.listPets(page)).pets.some((pet) => pet.name === name));
		await editing.edits.apply({ ...base, petId: removed, action: "remove" });
		assert.equal(await store.getPet(removed), undefined);
		assert.ok((await store.listPets(page)).pets.every(({ id }) => id !== removed));
		assert.ok((await store.listPets({ upTo: removed, limit: 5 })).pets.every(({ id }) => id !== removed));
		await editing.edits.apply({ ...base, petId: sold, action: "set-status", status: "sold" });
		assert.equal((await store.listPets({ ...page, status: "sold" })).pets.length, index + 1);
	}
	await until("the notice", () => notices.some((text) => /is left out: it has not replayed the last edit$/.test(text)));
	await resume();
	await inUse(store);
	const before = await readsOf(store);
	assert.equal((await store.getPet(5n))?.name, "renamed 0");
	assert.deepEqual(
		(await store.listPets({ after: 0n, limit: 7 })).pets.map(({ id }) => Number(id)),
		[1, 2, 3, 4, 5, 7, 8],
	);
	assert.deepEqual(await readsOf(store), { ...before, replica: before.replica + 2 });
});

test("while a replica replays, pages and animals come from it beside writers, and nothing is missed", async (context) => {
	const { store } = await openPair(context);
	await createMany(store, 400);
	await caughtUp();
	await inUse(store);
	const before = await readsOf(store);
	let isWriting = true;
	const random = seededRandom(randomInt(2 ** 31));
	const walking = (async () => {
		while (isWriting) {
			const [after, limit] = [BigInt(Math.floor(random() * 300)), 1 + Math.floor(random() * 99)];
			assert.equal((await store.listPets({ after, limit })).pets.at(-1)?.id, after + BigInt(limit));
		}
	})();
	await writeAndPoll(store, { writers: 3, each: 40, from: 400n }).finally(() => {
		isWriting = false;
	});
	await within("the walker to end", walking);
	const reads = await readsOf(store);
	const [byPrimary, byReplica] = [reads.primary - before.primary, reads.replica - before.replica];
	assert.ok(byReplica > 0);
	context.diagnostic(`share of the replica: ${Math.round((100 * byReplica) / (byPrimary + byReplica))} %`);
});

test("no read waits long for a replica that hangs or is away; it is left out, and answers again when it is back", async (context) => {
	const notices: string[] = [];
	const { store } = await openPair(context, notices);
	await createMany(store, 50);
	await caughtUp();
	atEnd(context, async () => standby.signal("CONT"));
	for (const [stop, start] of [
		[() => standby.signal("STOP"), () => standby.signal("CONT")],
		[() => standby.kill(), () => standby.start()],
	] as const) {
		await inUse(store);
		await stop();
		for (let count = 0; count < 20; count++) {
			const startedAtMs = performance.now();
			assert.equal((await store.getPet(BigInt(count + 1)))?.name, `n${count}`);
			assert.equal((await store.listPets({ after: 0n, limit: 10 + count })).hasMore, true);
			assert.ok(performance.now() - startedAtMs < 2_000, `${performance.now() - startedAtMs} ms`);
			assert.equal(await isInUse(store), false, "the first read leaves it out");
		}
		await start();
		await inUse(store);
		await readFromReplica(store);
	}
	await until("the last notice", () => notices.at(-1)?.endsWith("answers reads"));
	assert.ok(notices.some((text) => text.includes(" is left out: ")));
	assert.doesNotMatch(notices.join(), /animals/, "the password");
});

test("one of two replicas is enough", async (context) => {
	const { url, readUrl } = await newDatabase();
	const store = await openNode(context, url, [url.replace(/:\d+\//, ":1/"), readUrl]);
	await inUse(store);
	await createMany(store, 30);
	await caughtUp();
	await readFromReplica(store);
	assert.deepEqual(
		(await store.readUse()).replicas?.map(({ isInUse }) => isInUse),
		[false, true],
	);
});

test("any sequence of creates, edits, pauses of the replay and reads agrees with a simple model", async (context) => {
	const { store, url } = await openPair(context);
	const other = await openNode(context, url, []);
	const seed = randomInt(2 ** 31);
	context.diagnostic(`SEED=${seed}`);
	const random = seededRandom(seed);
	const upTo = (count: number) => Math.floor(random() * count);
	const model = new Map<bigint, Pet>();
	let lastId = 0n;
	let isPaused = false;
	const createSome = async () => {
		const statuses = Array.from({ length: 1 + upTo(30) }, () => [undefined, ...petStatuses][upTo(4)]);
		const pets = statuses.map((status) => ({ ...rex, ...(status && { status }) }));
		const created = await Promise.all(pets.map((pet) => (random() < 0.5 ? store : other).createPet(pet)));
		for (const [index, { id }] of created.entries()) {
			model.set(id, { id, ...rex, ...pets[index] });
			if (id > lastId) lastId = id;
		}
	};
	const editOne = async () => {
		const pet = model.get(BigInt(1 + upTo(Number(lastId))));
		if (!pet) return;
		const [action, editor] = [random() < 0.5 ? ("remove" as const) : ("rename" as const), "operator"];
		await (random() < 0.5 ? store : other).edits.apply({ petId: pet.id, editor, action, name: `n${random()}` });
		if (action === "remove") model.delete(pet.id);
		else model.set(pet.id, { ...pet, name: (await other.getPet(pet.id))?.name ?? "" });
	};
	const readSome = async () => {
		const pets = [...model.values()].sort((one, other) => Number(one.id - other.id));
		const queries = Array.from({ length: 8 }, (): PageQuery => {
			const [id, limit] = [BigInt(upTo(Number(lastId) + 5)), 1 + upTo(40)];
			const status = random() < 0.3 ? petStatuses[upTo(3)] : undefined;
			return { ...(random() < 0.5 ? { after: id } : { upTo: random() < 0.2 ? endOfList : id }), status, limit };
		});
		const ids = Array.from({ length: 8 }, () => BigInt(upTo(Number(lastId) + 3)));
		const [pages, found] = await Promise.all([
			Promise.all(queries.map((query) => store.listPets(query))),
			Promise.all(ids.map((id) => store.getPet(id))),
		]);
		assert.deepEqual(
			pages,
			queries.map((query) => pageOf(pets, query)),
		);
		assert.deepEqual(
			found,
			ids.map((id) => model.get(id)),
		);
	};
	const { resume } = await pauseReplay(context);
	isPaused = true;
	for (let step = 0; step < 200; step++) {
		if (step % 20 === 0) {
			if (isPaused) await resume();
			else await runSql(`${standby.url}/postgres`, "SELECT pg_wal_replay_pause()");
			isPaused = !isPaused;
			if (!isPaused) await inUse(store);
		}
		const chance = random();
		if (chance < 0.2) await createSome();
		else if (chance < 0.25) await editOne();
		else await readSome();
	}
	const { primary: byPrimary, replica } = await readsOf(store);
	assert.ok(replica > 0);
	context.diagnostic(JSON.stringify({ byPrimary, replica }));
});

test("a server that is not a physical standby of this store is never read, and one line says so", async (context) => {
	const { url, readUrl } = await newDatabase();
	const other = await newDatabase();
	const stranger = await openNode(context, other.url, []);
	await createMany(stranger, 40);
	await caughtUp();
	const notices: string[] = [];
	const store = await openNode(context, url, [url, other.readUrl, readUrl.replace(/\/\w+$/, "/postgres")], notices);
	// As in a copy of the store that was made after the node has started.
	const fence = "SELECT last_id FROM counters WHERE name = 'fence'";
	const [row] = await until("the fence", async () => {
		const rows = await runSql(url, fence);
		return rows.length > 0 && rows;
	});
	await runSql(other.url, `INSERT INTO counters VALUES ('fence', ${row?.["last_id"]})`);
	const told = (text: RegExp) => until(`${text}`, () => notices.find((notice) => text.test(notice)));
	await told(/ is left out: it is not a physical standby$/);
	await told(/ is left out: it has not replayed what .* or it follows another server$/);
	await told(/ is left out: 42P01 relation "counters" does not exist$/);
	for (let count = 0; count < 40; count++) await store.createPet({ ...rex, name: "own" });
	for (let id = 1n; id <= 40n; id++) assert.equal((await store.getPet(id))?.name, "own");
	assert.ok((await store.listPets({ after: 0n, limit: 30 })).pets.every(({ name }) => name === "own"));
	assert.equal((await readsOf(store)).replica, 0);
	assert.equal(notices.length, 3);
});

test("without the primary nothing is read, and both servers answer after its return", async (context) => {
	const { store } = await openPair(context);
	await createMany(store, 50);
	await caughtUp();
	await inUse(store);
	await primary.kill();
	await assert.rejects(store.getPet(1n), StorageUnavailable);
	await assert.rejects(store.listPets({ after: 0n, limit: 20 }), StorageUnavailable);
	await assert.rejects(store.check(), StorageUnavailable);
	await primary.start();
	await readFromReplica(store);
});

/** A way to the primary that leads to another server after a failover. */
async function address(context: TestContext, first: number): Promise<{ port: number; lead(port: number): void }> {
	let target = first;
	const sockets = new Set<Socket>();
	const server = createServer((near) => {
		const far = connect(target, "127.0.0.1");
		for (const [from, to] of [
			[near, far],
			[far, near],
		] as const) {
			sockets.add(from.setNoDelay(true));
			from.on("error", () => {}).on("close", () => to.destroy());
			from.pipe(to);
		}
	});
	server.listen(0, "127.0.0.1");
	await once(server, "listening");
	const cut = () => {
		for (const socket of sockets) socket.destroy();
		sockets.clear();
	};
	atEnd(context, async () => {
		server.close();
		cut();
	});
	return {
		port: (server.address() as AddressInfo).port,
		lead(port) {
			target = port;
			cut();
		},
	};
}

test("after a failover that lost animals, a replica that still has them is not read", async (context) => {
	const lost = await startPostgres();
	atEnd(context, () => lost.remove());
	const ahead = await lost.replica();
	atEnd(context, () => ahead.remove());
	const next = await lost.replica();
	atEnd(context, () => next.remove());
	const { port, lead } = await address(context, lost.port);
	const store = await openNode(context, `${lost.url.replace(`:${lost.port}`, `:${port}`)}/postgres`, [
		`${ahead.url}/postgres`,
	]);
	await createMany(store, 50);
	await inUse(store);
	const has = async (server: PostgresServer, count: number) => {
		const [row] = await runSql(`${server.url}/postgres`, "SELECT count(*)::integer AS count FROM pets");
		return row?.["count"] === count;
	};
	await until("both to have 50", async () => (await has(ahead, 50)) && (await has(next, 50)));
	await next.kill();
	await createMany(store, 20);
	await until("the replica to have 70", () => has(ahead, 70));
	await lost.kill();
	await next.start();
	await runSql(`${next.url}/postgres`, "SELECT pg_promote()");
	lead(next.port);
	const created = await until("a create", () => store.createPet({ ...rex, name: "own" }).catch(() => undefined));
	assert.equal(created.id, 51n, "the twenty are lost");
	while ((await store.createPet({ ...rex, name: "own" })).id < 70n);
	// Now both show the same last id and the same last edit.
	for (let round = 0; round < 3; round++) {
		for (let id = 51n; id <= 70n; id++) assert.equal((await store.getPet(id))?.name, "own");
		const { pets } = await store.listPets({ after: 50n, limit: 19 - round });
		assert.ok(pets.every(({ name }) => name === "own"));
		await until("another probe of the replica", async () => (await store.readUse()).replicas?.[0]?.isInUse === false);
	}
});

test("/metrics has the reads by server, the replicas in use and their lag, and the log says who answers, without passwords", async (context) => {
	const { url, readUrl } = await newDatabase();
	const service = await testService(context, { environment: { DATABASE_URL: url, DATABASE_READ_URL: readUrl } });
	await createMany(service.store, 50);
	await caughtUp();
	await inUse(service.store);
	for (let limit = 1; limit <= 20; limit++)
		assert.equal((await service.send({ path: `/v1/pets?limit=${limit}` })).status, 200);
	assert.ok((await figureOf(service, "animal_store_reads_total", { server: "replica" })) > 0);
	const replica = `127.0.0.1:${standby.port}`;
	const samples = await Promise.all(
		["in_use", "lag_bytes"].map((name) => samplesOf(service, `animal_store_replica_${name}`)),
	);
	for (const [sample] of samples) assert.deepEqual(sample?.labels, { replica });
	assert.equal(samples[0]?.[0]?.value, 1);
	const line = await until("the log line", () => service.log.find(({ msg }) => String(msg).includes("answers reads")));
	assert.equal(line["msg"], `the replica ${replica} answers reads`);
	assert.doesNotMatch(JSON.stringify(service.log), /animals:animals/);
});
