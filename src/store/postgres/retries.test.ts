// How long, and after which failures, a transaction is retried.

import assert from "node:assert/strict";
import { test } from "node:test";
import { StorageUnavailable } from "../store.ts";
import { createRetry } from "./retries.ts";

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
	// 2, 4, … 64 and then 100 ms each time: 35 tries at most.
	for (const { tries } of [longest, ofKeys]) assert.ok(tries > 1 && tries <= 36, `${tries} tries`);
	assert.ok(shortest.tries > 36, `${shortest.tries} tries`);
});

test("on Citus, a create whose shard was moved is retried, and one with a key that another node used meanwhile", async () => {
	assert.ok((await triesUntilRefused(() => 1, { code: "CIINF" })).tries > 1);
	const message = 'duplicate key value violates unique constraint "idempotency_keys_pkey_102191"';
	for (const code of ["23505", "XX000"])
		assert.ok((await triesUntilRefused(() => 1, { code, message })).tries > 1, code);
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
