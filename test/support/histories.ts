// Failovers and restores after which rows that callers have already read are missing from the store.

import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { createKey } from "../../src/keys/issue.ts";
import { openStore } from "../../src/store/open.ts";
import { type Ask, ask, callerOf, linkOf } from "./caller.ts";
import type { PostgresServer } from "./postgres-server.ts";
import type { Running } from "./program.ts";
import { figureOf } from "./scrape.ts";
import { runSql, setOnServer } from "./sql.ts";
import type { ServiceWithStandby } from "./standby.ts";
import { withStore } from "./store-reads.ts";
import { until } from "./until.ts";
import type { Reply } from "./wire.ts";

export interface Scene {
	service: Pick<Running, "url" | "opsUrl">;
	key: string;
	/** Reads and writes the current store without the service. */
	sql(statement: string): Promise<Record<string, unknown>[]>;
}

/** Reads all pages. Keeps each page with its ETag, as browsers and proxies do, and reuses the page after a 304. */
export function keepingCaller(scene: Scene, limit = 10): () => Promise<string[]> {
	const kept = new Map<string, { etag: string; body: string; next: string | undefined }>();
	async function readPage(path: string) {
		const earlier = kept.get(path);
		const headers: Ask["headers"] = earlier ? { "if-none-match": earlier.etag } : {};
		const reply = await ask(`${scene.service.url}${path}`, { key: scene.key, headers });
		if (reply.status === 304 && earlier) return earlier;
		assert.equal(reply.status, 200);
		const page = { etag: reply.headers["etag"] ?? "", body: reply.body, next: linkOf(reply) };
		kept.set(path, page);
		return page;
	}
	return async () => {
		const animals: string[] = [];
		for (let path: string | undefined = `/v1/pets?limit=${limit}`; path; ) {
			const { body, next } = await readPage(path);
			for (const { id, name } of JSON.parse(body)) animals.push(`${id} ${name}`);
			path = next;
		}
		return animals;
	};
}

/** Adds animals through the service, one after another. */
export async function addAnimals({ service, key }: Scene, count: number, name: string): Promise<void> {
	const { create } = callerOf(service.url, key);
	for (let number = 1; number <= count; number++)
		assert.equal((await create({ name: `${name} ${number}`, categoryId: 1 })).status, 201);
}

export const statusOf = async ({ service, key }: Scene, path = "/v1/pets") =>
	(await ask(`${service.url}${path}`, { key })).status;

/** Asserts that these callers and a new caller list the store's animals, and that the metrics count them. */
export async function assertSeen(scene: Scene, callers: (() => Promise<string[]>)[]): Promise<void> {
	const rows = await scene.sql("SELECT id, name FROM pets ORDER BY id");
	const animals = rows.map(({ id, name }) => `${id} ${name}`);
	for (const list of [...callers, keepingCaller(scene)]) assert.deepEqual(await list(), animals);
	const counted = () => figureOf(scene.service, "animal_store_animals");
	await until(`${animals.length} animals in the metrics`, async () => (await counted()) === animals.length);
}

/**
 * Reads all pages, and keeps their links. Returns a check for another store: links past the store's last animal are
 * refused, because the ids of new animals would be before the links' ids, and the other links still work.
 */
export async function keepLinks(scene: Scene): Promise<() => Promise<void>> {
	const links: { path: string; id: number }[] = [];
	for (let path: string | undefined = "/v1/pets?limit=10", id = 0; path; ) {
		const reply: Reply = await ask(`${scene.service.url}${path}`, { key: scene.key });
		const [prev, next] = [linkOf(reply, "prev"), linkOf(reply)];
		if (prev) links.push({ path: prev, id });
		id = JSON.parse(reply.body).at(-1)?.id ?? id;
		if (next) links.push({ path: next, id });
		path = next;
	}
	return async () => {
		const [last] = await scene.sql("SELECT max(id) AS id FROM pets");
		for (const { path, id } of links) {
			const body = JSON.parse((await ask(`${scene.service.url}${path}`, { key: scene.key })).body);
			assert.equal(body.code, id > Number(last?.["id"]) ? "invalid_cursor" : undefined, `${path} ${id}`);
		}
	};
}

/** Waits until the standby has all rows of the primary, and ends its replication. */
export async function leaveBehind(primary: PostgresServer, standby: PostgresServer): Promise<void> {
	const count = async (server: PostgresServer) => (await runSql(server.databaseUrl, "SELECT max(id) FROM pets"))[0];
	const expected = JSON.stringify(await count(primary));
	await until("the standby to follow", async () => JSON.stringify(await count(standby)) === expected);
	const url = standby.databaseUrl;
	await setOnServer(url, "primary_conninfo", "");
	const receivers = () => runSql(url, "SELECT FROM pg_stat_wal_receiver");
	await until("the standby to be alone", async () => (await receivers()).length === 0);
}

/**
 * A failover to a standby that lacks animals, an edit and a key. Fails unless the service refuses to use the standby
 * before its promotion, and shows nothing of the abandoned timeline after it.
 * @param standbyMs how long requests are sent before the promotion: a pooler needs time to connect to the standby
 */
export async function proveFailover(services: ServiceWithStandby, standbyMs = 500): Promise<void> {
	const { service, key, primary, standby, lead } = services;
	let server = primary;
	const scene: Scene = { service, key, sql: (statement) => runSql(server.databaseUrl, statement) };
	const rename = (petId: bigint, name: string) =>
		withStore(server.databaseUrl, (store) => store.edits.apply({ petId, editor: "operator", action: "rename", name }));
	const callers = [keepingCaller(scene), keepingCaller(scene)];
	await addAnimals(scene, 40, "common");
	await leaveBehind(primary, standby);
	await addAnimals(scene, 25, "lost");
	await rename(5n, "lost");
	const { key: lostKey } = await withStore(server.databaseUrl, ({ keys: rows }) =>
		createKey({ rows, now: Date.now, random: randomBytes }, { name: "lost", scopes: ["pets:read"] }),
	);
	await assertSeen(scene, callers);
	const assertLinks = await keepLinks(scene);
	assert.equal(await statusOf({ ...scene, key: lostKey }), 200);
	await primary.kill();
	server = standby;
	lead(standby);
	for (const endsAtMs = performance.now() + standbyMs; performance.now() < endsAtMs; ) {
		const reads = [await statusOf(scene), await statusOf(scene, "/v1/pets/4711"), await statusOf(scene, "/readyz")];
		const { status: created } = await callerOf(service.url, key).create();
		assert.deepEqual([...reads, created], [503, 503, 503, 503], "a standby is not used");
	}
	await runSql(standby.databaseUrl, "SELECT pg_promote()");
	await until("a read", async () => (await statusOf(scene)) === 200);
	await assertSeen(scene, callers.slice(1));
	await assertLinks();
	// New rows get the ids of the lost animals, and a new edit gets the id of the lost edit.
	await addAnimals(scene, 25, "new");
	await rename(6n, "new");
	await assertSeen(scene, callers);
	assert.equal(await statusOf({ ...scene, key: lostKey }), 401);
}

/**
 * A primary with a synchronous standby crashes. After its restart it shows 30 animals that the standby lacks. Then the
 * standby is promoted, and new animals get the ids of the 30. Fails unless all acknowledged animals are listed.
 */
export async function proveCrash({ service, key, primary, standby, lead }: ServiceWithStandby): Promise<void> {
	let server = primary;
	const scene: Scene = { service, key, sql: (statement) => runSql(server.databaseUrl, statement) };
	const isReading = async () => (await statusOf(scene)) === 200;
	await addAnimals(scene, 40, "common");
	const other = await openStore(primary.databaseUrl, Date.now);
	await setOnServer(primary.databaseUrl, "synchronous_standby_names", "*");
	await leaveBehind(primary, standby);
	const lost = Array.from({ length: 30 }, () => other.createPet({ name: "lost", categoryId: 1n }));
	const unknown = Promise.allSettled(lost).finally(() => other.close());
	const stored = `SELECT FROM pg_stat_activity WHERE wait_event = 'SyncRep' AND query LIKE '%INSERT INTO pets%'`;
	await until("a commit to wait", async () => (await scene.sql(stored)).length > 0);
	await primary.kill();
	await primary.start();
	await unknown;
	const caller = keepingCaller(scene);
	await until("a read", isReading);
	await assertSeen(scene, [caller]);
	assert.ok((await caller()).length > 40, "the restart shows animals that no standby has");
	await primary.kill();
	server = standby;
	lead(standby);
	await runSql(standby.databaseUrl, "SELECT pg_promote()");
	await until("a read", isReading);
	await addAnimals(scene, 48, "acknowledged");
	await assertSeen(scene, [caller]);
}
