// How long a cached row of a key is trusted, when the row is read again, and when the key's uses are stored.

import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import { createBackground } from "../store/background.ts";
import { type KeyRow, type KeyRows, type KeyUse, StorageUnavailable } from "../store/store.ts";
import { hashOfKey, keyFromRandom } from "./formats.ts";
import { createKeyCheck } from "./key-check.ts";

const key = keyFromRandom(Buffer.alloc(32, 7));
const working: KeyRow = {
	id: "key_a",
	name: "a",
	scopes: [],
	createdAtMs: 0,
	secret: { last4: "aaaa", createdAtMs: 0 },
};

/** A key check that counts the reads of rows, with a monotonic clock that only the test moves. */
function checkOver(
	context: TestContext,
	rows: { timeline?: string; find?: (hash: string) => Promise<KeyRow | undefined>; touch?: KeyRows["touch"] },
) {
	const clock = { nowMs: 1000, wallMs: undefined as number | undefined, reads: 0, touched: [] as KeyUse[][] };
	context.mock.method(performance, "now", () => clock.nowMs);
	const keyRows = {
		get timeline() {
			return rows.timeline;
		},
		findByHash(hash: string) {
			clock.reads++;
			return rows.find?.(hash) ?? Promise.resolve(working);
		},
		async touch(uses: KeyUse[]) {
			clock.touched.push(uses);
			await rows.touch?.(uses);
		},
	} as unknown as KeyRows;
	const background = createBackground(() => {});
	const keyCheck = createKeyCheck(keyRows, () => clock.wallMs ?? clock.nowMs, background);
	context.after(() => keyCheck.close());
	return { clock, keyCheck };
}

test("a row is trusted for 300 ms, then read again once in the background, and after 800 ms before the answer", async (context) => {
	const pending = Promise.withResolvers<KeyRow>();
	let isPending = false;
	const { clock, keyCheck } = checkOver(context, { find: async () => (isPending ? pending.promise : working) });
	assert.equal(await keyCheck.check(key), working);
	for (const [ageMs, reads] of [
		[0, 1],
		[300, 1],
		[301, 2],
		[302, 2],
		[800, 2],
	] as const) {
		isPending = ageMs > 300;
		clock.nowMs = 1000 + ageMs;
		assert.equal(keyCheck.check(key), working, `${ageMs} ms`);
		assert.equal(clock.reads, reads, `${ageMs} ms`);
	}
	clock.nowMs = 1801;
	clock.wallMs = -3_600_000; // The machine's clock was set back.
	assert.ok(keyCheck.check(key) instanceof Promise);
	assert.equal(clock.reads, 3);
	pending.resolve(working);
});

test("the trust in a row begins with its read: a row whose read took longer than the trust is read again", async (context) => {
	const { clock, keyCheck } = checkOver(context, {
		find: async () => {
			clock.nowMs += 801;
			return working;
		},
	});
	assert.equal(await keyCheck.check(key), working);
	assert.ok(keyCheck.check(key) instanceof Promise);
	assert.equal(clock.reads, 2);
});

test("a key that is gone when it is read again is refused from then on", async (context) => {
	let row: KeyRow | undefined = working;
	const { clock, keyCheck } = checkOver(context, { find: async () => row });
	await keyCheck.check(key);
	row = undefined;
	clock.nowMs = 1400;
	assert.equal(keyCheck.check(key), working, "the row is read again in the background");
	await nextTurn();
	assert.equal(await keyCheck.check(key), undefined);
});

test("a read that fails in the background is tried again", async (context) => {
	let isDown = false;
	const { clock, keyCheck } = checkOver(context, {
		find: async () => {
			if (isDown) throw new StorageUnavailable("down");
			return working;
		},
	});
	await keyCheck.check(key);
	isDown = true;
	clock.nowMs = 1400;
	for (const reads of [2, 3]) {
		assert.equal(keyCheck.check(key), working);
		assert.equal(clock.reads, reads);
		await nextTurn();
	}
});

test("a row of an abandoned timeline is not trusted", async (context) => {
	const rows = { timeline: "before", find: async () => ({ ...working, timeline: rows.timeline }) };
	const { clock, keyCheck } = checkOver(context, rows);
	await keyCheck.check(key);
	keyCheck.check(key);
	assert.equal(clock.reads, 1);
	rows.timeline = "after";
	assert.ok(keyCheck.check(key) instanceof Promise);
	assert.equal(clock.reads, 2);
});

/** One key more than the cache keeps. */
const manyKeys = () =>
	Array.from({ length: 10_001 }, (_, index) => {
		const random = Buffer.alloc(32);
		random.writeUInt32BE(index);
		return keyFromRandom(random);
	});

test("at most 10,000 rows are kept, the newest ones", async (context) => {
	const { clock, keyCheck } = checkOver(context, {});
	const keys = manyKeys();
	for (const each of keys) await keyCheck.check(each);
	assert.equal(clock.reads, 10_001);
	assert.equal(keyCheck.check(keys[1] ?? ""), working);
	assert.equal(clock.reads, 10_001);
	await keyCheck.check(keys[0] ?? "");
	assert.equal(clock.reads, 10_002, "the oldest row is read again");
	clock.nowMs += 301;
	for (const each of [keys[9], keys[2]]) {
		assert.equal(keyCheck.check(each ?? ""), working, "a row that is read again takes no other's place");
		await nextTurn();
	}
});

test("an unknown key is cached as a revoked one is, works within 800 ms, and evicts no row", async (context) => {
	let row: KeyRow | undefined;
	const { clock, keyCheck } = checkOver(context, {
		timeline: "now",
		find: async (hash) => (hash === hashOfKey(key) ? row : undefined),
	});
	for (const text of ["pets_no_key", `${key.slice(0, -1)}-`, `${key.slice(0, -1)}${key.endsWith("0") ? 1 : 0}`])
		assert.equal(keyCheck.check(text), undefined);
	assert.equal(clock.reads, 0, "a text that is no key needs no lookup");
	assert.equal(await keyCheck.check(key), undefined);
	assert.equal(keyCheck.check(key), undefined, "without a read");
	assert.equal(clock.reads, 1);
	row = { ...working, timeline: "now" };
	clock.nowMs += 801;
	assert.equal(await keyCheck.check(key), row);
	const guessed = manyKeys();
	for (const each of guessed) assert.equal(await keyCheck.check(each), undefined);
	assert.equal(keyCheck.check(key), row, "the row is still in the cache");
	const { reads } = clock;
	await keyCheck.check(guessed[0] ?? "");
	assert.equal(clock.reads, reads + 1, "the oldest guess is forgotten, too");
});

test("closing stores each last use once, and waits for it", async (context) => {
	context.mock.timers.enable({ apis: ["setInterval"] });
	const stored = Promise.withResolvers<void>();
	const { clock, keyCheck } = checkOver(context, { touch: () => stored.promise });
	keyCheck.noteUse(working, "listPets");
	clock.nowMs = 2000;
	keyCheck.noteUse(working, "listPets");
	keyCheck.noteUse(working, "getPet");
	keyCheck.noteUse({ ...working, id: "key_b" }, "listPets");
	context.mock.timers.tick(5000); // From now on, uses are being stored.
	let isClosed = false;
	const closing = keyCheck.close().then(() => {
		isClosed = true;
	});
	await nextTurn();
	assert.equal(isClosed, false);
	stored.resolve();
	await closing;
	await keyCheck.close();
	assert.deepEqual(clock.touched, [
		[
			{ keyId: "key_a", operation: "listPets", usedAtMs: 2000 },
			{ keyId: "key_b", operation: "listPets", usedAtMs: 2000 },
			{ keyId: "key_a", operation: "getPet", usedAtMs: 2000 },
		],
	]);
});

test("a last use that could not be stored is stored later, unless the key was used again", async (context) => {
	let isDown = true;
	const { clock, keyCheck } = checkOver(context, {
		touch: async () => {
			clock.nowMs++;
			if (clock.touched.length < 3) keyCheck.noteUse(working, "listPets");
			if (isDown) throw new StorageUnavailable("down");
		},
	});
	keyCheck.noteUse(working, "listPets");
	keyCheck.noteUse(working, "getPet");
	clock.nowMs = 3000;
	await keyCheck.close();
	isDown = false;
	await keyCheck.close();
	const later = clock.touched[1]?.map(({ operation, usedAtMs }) => [operation, usedAtMs]);
	assert.deepEqual(later, [
		["listPets", 3001],
		["getPet", 1000],
	]);
	await keyCheck.close();
	assert.equal(clock.touched[2]?.length, 1, "a use while uses are stored is stored later");
	await keyCheck.close();
	assert.equal(clock.touched.length, 3, "each use is stored once");
});

test("a key works until the millisecond of its expiry", async (context) => {
	const row: KeyRow = { ...working, secret: { ...working.secret, expiresAtMs: 1500 } };
	const { clock, keyCheck } = checkOver(context, { find: async () => row });
	clock.nowMs = 1499;
	assert.equal(await keyCheck.check(key), row);
	for (const nowMs of [1500, 5000]) {
		clock.nowMs = nowMs;
		assert.equal(await keyCheck.check(key), undefined, "from the cache, and read again");
	}
});
