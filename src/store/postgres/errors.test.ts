// Which failures of PostgreSQL cause 503, because a retry may succeed, and which cause 500. After which failures a
// transaction is retried, and for how long.

import assert from "node:assert/strict";
import { test } from "node:test";
import pg from "pg";
import { StorageUnavailable, StoreRefused } from "../store.ts";
import { createRetry, toRefusal, toStoreError } from "./errors.ts";
import { parsePostgresUrl } from "./url.ts";

const serverError = (code: string) => Object.assign(new pg.DatabaseError("said the server", 9, "error"), { code });

/** Every error class in appendix A of the PostgreSQL manual, and single codes that differ from their class. */
const unavailable = `08000 08006 08P01 25006 25P03 25P04 26000 28000 28P01 3D000 40001 40P01 40003 42501 42P05 53100 53200 53300
	55000 55P03 57014 57P01 57P03 58000 58030 72000 F0000 XX000 XX001`;
const bugs = `03000 09000 0A000 0B000 0F000 0L000 0P000 0Z000 10608 20000 21000 22000 22P02 23000 23505 24000 25000 25P02 27000 2B000
	2D000 2F000 34000 38000 39000 3B000 3F000 42000 42601 42P01 44000 54000 54001 HV000 P0001`;

test("server errors that time or an operator can fix become StorageUnavailable, and all others stay unchanged", () => {
	for (const code of unavailable.split(/\s+/)) {
		const error = toStoreError(serverError(code));
		assert.ok(error instanceof StorageUnavailable, code);
		assert.equal(error.message, `${code}: said the server`);
	}
	for (const code of bugs.split(/\s+/)) {
		const error = serverError(code);
		assert.equal(toStoreError(error), error, code);
	}
});

test("a lost or failed connection becomes StorageUnavailable", () => {
	for (const error of [
		Object.assign(new Error("connect"), { code: "ECONNREFUSED" }),
		Object.assign(new Error("write"), { code: "EPIPE" }),
		new Error("Connection terminated unexpectedly"),
		new Error("Query read timeout"),
	])
		assert.ok(toStoreError(error) instanceof StorageUnavailable, error.message);
});

test("a lost connection names its cause without an empty part", () => {
	const nameless = Object.assign(new AggregateError([]), { code: "ECONNREFUSED" });
	assert.equal((toStoreError(nameless) as Error).message, "ECONNREFUSED");
	assert.equal((toStoreError(new Error("Connection terminated")) as Error).message, "Connection terminated");
});

test("a refusal tells an unreachable server from one that answers, without the password", () => {
	const url = parsePostgresUrl("postgres://animals:secret@db:6432/animals");
	const rows: [error: Error, said: RegExp][] = [
		[
			Object.assign(new Error("secret"), { code: "ECONNREFUSED" }),
			/^cannot reach PostgreSQL at db:6432 \(ECONNREFUSED\): /,
		],
		[new Error("Connection terminated unexpectedly"), /^cannot reach PostgreSQL at db:6432 \(Connection terminated /],
		[
			serverError("57P03"),
			/^cannot use PostgreSQL at db:6432 \(57P03 said the server\): fix the server, or DATABASE_URL$/,
		],
		[new Error("Query read timeout"), /^cannot reach PostgreSQL at db:6432 \(Query read timeout\): /],
		[new Error("timeout exceeded when trying to connect"), /^cannot reach PostgreSQL at db:6432 \(timeout exceeded /],
		[serverError("28000"), /^PostgreSQL at db:6432 rejects the user animals: fix user and password in DATABASE_URL$/],
		[serverError("08P01"), /^cannot use PostgreSQL at db:6432 \(08P01 said the server\): /],
	];
	for (const [error, said] of rows) {
		const { message } = toRefusal(error, url);
		assert.match(message, said);
		assert.doesNotMatch(message, /secret/);
	}
});

test("errors in the code and errors of the Store stay unchanged", () => {
	for (const error of [new TypeError("x"), new StorageUnavailable("x"), new StoreRefused("x")])
		assert.equal(toStoreError(error), error);
});

async function triesUntilRefused(random: () => number, failure: object): Promise<{ tries: number; refusal: unknown }> {
	let tries = 0;
	const transaction = async () => {
		tries++;
		throw Object.assign(new Error("no"), failure);
	};
	const refusal = await createRetry(random)(transaction).catch((error: unknown) => error);
	return { tries, refusal };
}

test("a transaction rolled back because of others is retried for 3 seconds, after random pauses", async () => {
	const startedAtMs = performance.now();
	const taken = { code: "23505", table: "idempotency_keys" };
	const [shortest, longest, ofKeys] = await Promise.all([
		triesUntilRefused(() => 0, { code: "40001" }),
		triesUntilRefused(() => 1, { code: "40P01" }),
		triesUntilRefused(() => 1, taken),
	]);
	for (const { refusal } of [shortest, longest, ofKeys]) assert.ok(refusal instanceof StorageUnavailable);
	const took = performance.now() - startedAtMs;
	assert.ok(took > 2_800, `${took} ms`);
	// The pauses are 2, 4, … 64 ms, and then 100 ms each. This allows about 35 tries.
	for (const { tries } of [longest, ofKeys]) assert.ok(tries > 1 && tries <= 36, `${tries} tries`);
	assert.ok(shortest.tries > 36, `${shortest.tries} tries`);
});

test("on Citus, a create is retried if its shard was moved, or if another node has just used its key", async () => {
	const triesAfter = async (failure: object) => {
		let tries = 0;
		await createRetry(() => 0)(async () => {
			if (++tries === 1) throw Object.assign(new Error("no"), failure);
		});
		return tries;
	};
	assert.equal(await triesAfter({ code: "CIINF" }), 2);
	const message = 'duplicate key value violates unique constraint "idempotency_keys_pkey_102191"';
	for (const code of ["23505", "XX000"]) assert.equal(await triesAfter({ code, message }), 2, code);
});

test("after any other failure the outcome may be unknown, and a transaction is not retried: every class, and every code of the classes that are", async () => {
	const message = 'duplicate key value violates unique constraint "pets_pkey_102191"';
	const ofCitus = { code: "XX000", message };
	const characters = [..."0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"];
	const classes = characters.flatMap((first) => characters.map((second) => first + second));
	const codes = [
		...classes.flatMap((of) => [`${of}000`, `${of}001`]),
		..."40002 40003 40P02 08003 08006 08007 25006 57014 57P01 57P02 57P03 23505 XX001 XX002".split(" "),
	].filter((code) => code !== "40001");
	const failures = [{ code: "23505", table: "pets" }, ofCitus, {}, { code: "ECONNRESET" }];
	for (const failure of [...failures, ...codes.map((code) => ({ code }))])
		assert.equal((await triesUntilRefused(() => 0, failure)).tries, 1, JSON.stringify(failure));
	const warned = new StorageUnavailable("the outcome is unknown: the wait for a standby was cancelled");
	assert.equal((await triesUntilRefused(() => 0, warned)).tries, 1);
});
