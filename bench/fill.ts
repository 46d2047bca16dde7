// Fills a store with animals for a measurement, in 50 categories and with all statuses.

import { randomBytes } from "node:crypto";
import { scopes } from "../src/contract/operations.ts";
import { petStatuses } from "../src/contract/pet.ts";
import { createKey } from "../src/keys/issue.ts";
import { openStore } from "../src/store/open.ts";

/** Adds animals through the store itself. @returns a key */
export async function fill(databaseUrl: string, animals: number): Promise<string> {
	const store = await openStore(databaseUrl, Date.now);
	const { key } = await createKey(
		{ rows: store.keys, now: Date.now, random: randomBytes },
		{ name: "bench", scopes: [...scopes] },
	);
	const startedAtMs = performance.now();
	let next = 0;
	const add = async () => {
		while (next < animals) {
			const index = next++;
			const status = petStatuses[index % petStatuses.length];
			await store.createPet({
				name: `Animal ${String(index).padStart(9, "0")}`,
				categoryId: BigInt(index % 50),
				...(status && { status }),
			});
			if (index % 100_000 === 0) process.stderr.write(`\radding animals: ${index} of ${animals}`);
		}
	};
	await Promise.all(Array.from({ length: 2000 }, add));
	await store.close();
	const seconds = (performance.now() - startedAtMs) / 1000;
	const figures = `${animals} animals in ${seconds.toFixed(1)} s, ${(animals / seconds).toFixed(0)} per second`;
	console.log(`Filled by 2,000 concurrent callers: ${figures}.`);
	return key;
}
