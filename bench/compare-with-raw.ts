// Compares the PostgreSQL store with a loop of raw statements, each in its own transaction: 64 at a time, without HTTP.

import pg from "pg";
import { openStore } from "../src/store/open.ts";

export interface Comparison {
	what: "get" | "create";
	storePerSecond: number;
	rawPerSecond: number;
}

export async function compareWithRaw(
	url: string,
	{ animals, seconds, only }: { animals: number; seconds: number; only: string },
): Promise<Comparison[]> {
	const store = await openStore(url, Date.now);
	const pool = new pg.Pool({ connectionString: url, max: 64 });
	const anyId = () => 1 + Math.floor(Math.random() * animals);
	const get = { name: "get", text: "SELECT id, name, category_id, status FROM pets WHERE id = $1" };
	const add = {
		name: "add",
		text: `WITH counter AS (UPDATE counters SET last_id = last_id + 1 WHERE name = 'pets' RETURNING last_id)
			INSERT INTO pets SELECT last_id, $1, $2, $3 FROM counter RETURNING id`,
	};
	const pet = { name: "Rex", categoryId: 1n, status: "available" } as const;
	const works = {
		get: [() => store.getPet(BigInt(anyId())), () => pool.query({ ...get, values: [anyId()] })],
		create: [() => store.createPet(pet), () => pool.query({ ...add, values: ["Rex", 1, "available"] })],
	} as const;
	const results: Comparison[] = [];
	for (const [what, [ours, raw]] of Object.entries(works) as ["get" | "create", (typeof works)["get"]][]) {
		if (!what.includes(only)) continue;
		process.stderr.write(`measuring ${what}: the store and raw statements, without HTTP …\n`);
		const storePerSecond = await perSecond(ours, seconds);
		results.push({ what, storePerSecond, rawPerSecond: await perSecond(raw, seconds) });
	}
	await store.close();
	await pool.end();
	return results;
}

async function perSecond(work: () => Promise<unknown>, seconds: number): Promise<number> {
	let done = 0;
	let endAtMs = performance.now() + 1000;
	const loop = async () => {
		for (; performance.now() < endAtMs; done++) await work();
	};
	const all = () => Promise.all(Array.from({ length: 64 }, loop));
	await all();
	done = 0;
	const startedAtMs = performance.now();
	endAtMs = startedAtMs + seconds * 1000;
	await all();
	return (done / (performance.now() - startedAtMs)) * 1000;
}
