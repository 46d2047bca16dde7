// `animal-store copy`: a whole store moves to the other engine and back, and nothing of it changes.

import assert from "node:assert/strict";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { petStatuses } from "../src/contract/pet.ts";
import { copyStore } from "../src/store/copy.ts";
import { openStore } from "../src/store/open.ts";
import { testDatabase } from "./postgres.ts";
import { runProgram, startProgram } from "./program.ts";
import { temporaryFolder } from "./service.ts";

const count = 12_000;

async function filled(context: TestContext): Promise<{ url: string; key: string }> {
	const url = `sqlite:${join(temporaryFolder(context), "animals.db")}`;
	const key = (
		await runProgram(["keys", "create", "--name", "mover"], { environment: { DATABASE_URL: url } })
	).stdout.trim();
	const store = await openStore(url, Date.now);
	await Promise.all(
		Array.from({ length: count }, (_, index) => {
			const status = petStatuses[index % 4];
			const retry = index % 100 === 0 ? { caller: "someone", key: `k${index}` } : undefined;
			return store.createPet(
				{ name: `n${index} 😀`, categoryId: BigInt(index) * 10n ** 14n - 2n ** 62n, ...(status && { status }) },
				retry,
			);
		}),
	);
	await store.close();
	return { url, key };
}

async function emptyPostgres(context: TestContext): Promise<string> {
	const database = await testDatabase();
	context.after(() => database.drop());
	return database.url;
}

test("a store moves to PostgreSQL and back: ids, keys, cursors and Idempotency-Keys work on", {
	timeout: 60_000,
}, async (context) => {
	const { url: source, key } = await filled(context);
	const postgres = await emptyPostgres(context);
	const back = `sqlite:${join(temporaryFolder(context), "back.db")}`;
	const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
	const first = await startProgram(context, { DATABASE_URL: source });
	const cursor = /cursor=([^>]+)>; rel="next"/.exec(
		(await fetch(`${first.url}/v1/pets?limit=100`, { headers })).headers.get("link") ?? "",
	)?.[1];
	const page = await (await fetch(`${first.url}/v1/pets?limit=100&cursor=${cursor}`, { headers })).text();
	first.process.kill("SIGTERM");
	await first.finished;
	for (const [from, to] of [
		[source, postgres],
		[postgres, back],
	] as const) {
		const { code, stdout, stderr } = await runProgram(["copy", "--from", from, "--to", to]);
		assert.equal(code, 0, stderr);
		assert.match(
			stdout,
			new RegExp(`^copied ${count} animals, 1 keys and 120 Idempotency-Keys in [\\d.]+ s; both stores agree\\n$`),
		);
		const store = await openStore(to, Date.now);
		assert.deepEqual(await store.getPet(3n), {
			id: 3n,
			name: "n2 😀",
			categoryId: 2n * 10n ** 14n - 2n ** 62n,
			status: "sold",
		});
		const again = { name: "n100 😀", categoryId: 10n ** 16n - 2n ** 62n, status: "available" as const };
		assert.deepEqual(await store.createPet(again, { caller: "someone", key: "k100" }), {
			id: 101n,
			outcome: "replayed",
		});
		await store.close();
		const service = await startProgram(context, { DATABASE_URL: to });
		assert.equal(await (await fetch(`${service.url}/v1/pets?limit=100&cursor=${cursor}`, { headers })).text(), page);
		service.process.kill("SIGTERM");
		await service.finished;
	}
	const store = await openStore(back, Date.now);
	assert.equal((await store.createPet({ name: "next", categoryId: 1n })).id, BigInt(count + 1), "ids go on");
	await store.close();
});

test("an interrupted copy goes on where it was, and no service starts on half of one", {
	timeout: 60_000,
}, async (context) => {
	const { url } = await filled(context);
	const target = await emptyPostgres(context);
	const from = await openStore(url, Date.now);
	const to = await openStore(target, Date.now);
	const interrupted = copyStore({
		from,
		to,
		onProgress({ done }) {
			if (done >= 10_000) throw new Error("interrupted");
		},
	});
	await assert.rejects(interrupted, /interrupted/);
	const refused = await runProgram(["serve"], { environment: { DATABASE_URL: target, PORT: "0", OPS_PORT: "0" } });
	assert.equal(refused.code, 1);
	assert.match(refused.stderr, /is an unfinished copy: run animal-store copy again to its end/);
	const seen: number[] = [];
	await copyStore({ from, to, onProgress: ({ table, done }) => void (table === "pets" && seen.push(done)) });
	assert.deepEqual(seen, [10_000, count]);
	await from.close();
	await to.close();
});

test("a target that holds something else is refused and not touched", { timeout: 60_000 }, async (context) => {
	const { url: one } = await filled(context);
	const { url: other } = await filled(context);
	const { code, stderr } = await runProgram(["copy", "--from", one, "--to", other]);
	assert.equal(code, 1);
	assert.match(stderr, /the target is not empty \(it has pets\): name an empty one/);
	const half = await emptyPostgres(context);
	const store = await openStore(half, Date.now);
	await store.rows.markCopy("something");
	await store.close();
	assert.match((await runProgram(["copy", "--from", one, "--to", half])).stderr, /unfinished copy of another store/);
	assert.match(
		(await runProgram(["copy", "--from", "animals.db", "--to", half])).stderr,
		/It must be sqlite: and the path/,
	);
	assert.match((await runProgram(["copy", "--from", one])).stderr, /required option '--to <url>'/);
});
