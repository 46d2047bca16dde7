// What the store does step by step, the same with both engines: each sign of a text is a call.

import { test } from "node:test";
import { hashOfKey } from "../../src/keys/formats.ts";
import type { NewEdit, Store } from "../../src/store/store.ts";
import { engines } from "../store/engines.ts";
import { outcomesIn } from "../support/outcomes.ts";

const statuses = [undefined, "available", "pending", "sold"] as const;
const names = ["Rex", "Änne", "rex 2", "Straße", "7"];

/** @returns calls by sign. A digit chooses the animal, the category and the key of the calls after it. */
function callsOf(store: Store, state: { nowMs: number; run: number }): Record<string, (n: number) => unknown> {
	const { keys, edits, categories } = store;
	const pet = (n: number) => {
		const status = statuses[n % 4];
		return { name: names[n % 5] ?? "", categoryId: BigInt(n % 3), ...(status && { status }) };
	};
	const edit = (n: number, rest: object) =>
		edits.apply({ petId: BigInt(n), editor: `editor ${n % 2}`, ...rest } as NewEdit);
	const keyed = (n: number) => ({ caller: n % 2 ? "ann" : "bo", key: `k${n}` });
	const row = (n: number) => ({ pet: pet(n), idempotencyKey: keyed(n), ...(n > 3 && { origin: `o${n}` }) });
	const hashOf = (n: number) => hashOfKey(`${state.run} ${n}`);
	const keyId = (n: number) => `key ${state.run} ${n}`;
	const secret = (n: number) => ({
		hash: hashOf(n),
		last4: `${n}`,
		createdAtMs: state.nowMs,
		expiresAtMs: n % 5 ? state.nowMs + n * 1000 : undefined,
	});
	const latest = { before: 99n, limit: 3 };
	return {
		a: (n) => store.createPet(pet(n)),
		b: (n) => store.createPet(pet(n), keyed(n)),
		c: (n) => store.createPets([row(n), row(n + 1), row(n), { ...row(n), pet: pet(n + 1) }]),
		d: (n) => edit(n, { action: "remove" }),
		e: (n) => edit(n, { action: "rename", name: `Kim ${n}` }),
		f: (n) => edit(n, { action: "set-status", status: statuses[(n + 1) % 4] }),
		g: (n) => edit(n, { action: "set-category", categoryId: BigInt(n + 1) }),
		h: (n) => edit(n, { action: "rename", name: "Lu", seen: pet(n - 1) }),
		i: (n) => store.getPet(BigInt(n)),
		j: (n) => store.listPets({ after: BigInt(n), limit: 3 }),
		k: (n) => store.listPets({ upTo: BigInt(n), limit: 2, status: "sold" }),
		l: (n) => store.findPets({ name: names[n % 5]?.slice(0, 2) ?? "", limit: 3, isCounted: true }),
		m: (n) => store.findPets({ category: BigInt(n), sort: "-name", limit: 2, isCounted: true }),
		n: (n) => store.findPets({ without: "status", sort: "name", limit: 4, after: { id: BigInt(n), name: "re" } }),
		o: () => store.countPets(),
		p: (n) => store.listKeys("bo", { before: BigInt(n + 3), limit: 3, start: "k", isOther: n % 2 === 1 }),
		q: (n) => store.sweepIdempotencyKeys(n),
		r: (n) => edits.list(BigInt(n), 3),
		s: (n) => Promise.all([edits.latest(latest), edits.latest({ ...latest, editor: `editor ${n % 2}` })]),
		t: (n) => edits.ofPet(BigInt(n), 2),
		u: (n) => categories.apply([{ id: BigInt(n), name: `Kind ${n}` }, { name: "Neu " }, { id: BigInt(n + 1) }]),
		v: () => Promise.all([categories.names(), categories.list(3)]),
		w: (n) =>
			keys.add({ id: keyId(n), name: `${n}`, scopes: ["pets:read"], rate: undefined, createdAtMs: n }, secret(n)),
		x: (n) => keys.rotate(keyId(n), secret(n + 10), state.nowMs + n),
		y: (n) => keys.revoke(keyId(n), state.nowMs),
		z: (n) => keys.touch([{ keyId: keyId(n), operation: "getPet", usedAtMs: state.nowMs - n }]),
		K: (n) => Promise.all([keys.list(), keys.findByHash(hashOf(n)), keys.findByHash(hashOf(n + 10))]),
		V: () => store.version(),
	};
}

for (const engine of ["sqlite", "postgres"] as const)
	test(`${engine}: each call of a sequence does what is recorded`, async (context) => {
		const state = { nowMs: 1e12, run: 0 };
		const { open } = await engines[engine](context, () => state.nowMs);
		const calls = callsOf(await open(), state);
		await outcomesIn("store")(
			"store",
			async (steps) => {
				const said: unknown[] = [];
				state.run++;
				let chosen = 1;
				for (const step of steps) {
					if (/\d/.test(step)) chosen = Number(step);
					if (step === "+") state.nowMs += 13 * 3_600_000;
					const call = calls[step];
					if (call) said.push([step, await Promise.resolve(call(chosen)).catch(() => "fails")]);
				}
				return JSON.parse(JSON.stringify(said, withoutTimeline));
			},
			12,
		);
	});

function withoutTimeline(name: string, value: unknown): unknown {
	if (name === "timeline") return undefined;
	return typeof value === "bigint" ? `${value}` : value;
}
