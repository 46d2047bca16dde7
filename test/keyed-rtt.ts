// What a network costs creates: several nodes, each with a slow way to the one database, create with and without
// Idempotency-Keys. Shows that no node keeps the others waiting for its round trips.

import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { openStore } from "../src/store/open.ts";
import type { RetryKey } from "../src/store/store.ts";
import { slowLink } from "./slow-link.ts";
import { runSql } from "./sql.ts";

const nodes = 5;
const writers = 20;
const roundTripMs = 10;
const seconds = 5;

/** @returns creates a second of all nodes together */
export async function measureKeyedCreates(
	context: { after(cleanUp: () => unknown): void },
	databaseUrl: string,
): Promise<Record<string, number>> {
	const urls = await Promise.all(Array.from({ length: nodes }, () => slowLink(context, databaseUrl, roundTripMs)));
	const stores = await Promise.all(urls.map((url) => openStore(url, Date.now)));
	context.after(() => Promise.all(stores.map((store) => store.close())));
	let created = 0;
	let number = 0;

	async function rate(newKey: () => RetryKey | undefined): Promise<number> {
		const before = created;
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
		const perSecond = Math.round((created - before) / seconds);
		await Promise.all(work);
		return perSecond;
	}

	const plainPerSecond = await rate(() => undefined);
	const keyedPerSecond = await rate(() => ({ caller: "a", key: `k${number++}` }));
	const [row] = await runSql(databaseUrl, "SELECT count(*)::integer AS pets FROM pets");
	assert.equal(row?.["pets"], created, "every create made one animal");
	return { nodes, writers, roundTripMs, plainPerSecond, keyedPerSecond };
}
