// Several nodes, each with a slow way to the one database, create with and without Idempotency-Keys: no node may keep the others
// waiting for its round trips.

import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { openStore } from "../../src/store/open.ts";
import type { IdempotencyKey, Store } from "../../src/store/store.ts";
import { newDatabase, type Proof } from "../proof.ts";
import { slowLink } from "../slow-link.ts";
import { runSql } from "../sql.ts";

const nodes = 5;
const writers = 20;
const roundTripMs = 10;
const seconds = 5;

export const proof: Proof = {
	shows: "creates with Idempotency-Keys hold no lock over a round trip: at 10 ms nodes do not wait for each other",
	async prove(trial) {
		const { environment } = await newDatabase(trial);
		const databaseUrl = environment.DATABASE_URL;
		const links = await Promise.all(Array.from({ length: nodes }, () => slowLink(trial, databaseUrl, roundTripMs)));
		const stores = await Promise.all(links.map(({ url }) => openStore(url, Date.now)));
		trial.after(() => Promise.all(stores.map((store) => store.close())));
		let number = 0;
		const plain = await createFor(seconds, stores, () => undefined);
		const keyed = await createFor(seconds, stores, () => ({ caller: "a", key: `k${number++}` }));
		const [row] = await runSql(databaseUrl, "SELECT count(*)::integer AS pets FROM pets");
		assert.equal(row?.["pets"], plain.created + keyed.created, "every create made one animal");
		return { nodes, writers, roundTripMs, plainPerSecond: plain.perSecond, keyedPerSecond: keyed.perSecond };
	},
};

/** @returns creates a second of all stores together */
async function createFor(seconds: number, stores: Store[], newKey: () => IdempotencyKey | undefined) {
	let created = 0;
	let isOver = false;
	const work = stores.flatMap((store) =>
		Array.from({ length: writers }, async () => {
			while (!isOver) {
				await store.createPet({ name: "Rex", categoryId: 1n }, newKey());
				created++;
			}
		}),
	);
	await sleep(seconds * 1000);
	isOver = true;
	const perSecond = Math.round(created / seconds);
	await Promise.all(work);
	return { created, perSecond };
}
