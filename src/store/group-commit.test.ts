// Group commit: who hears what, and when.

import assert from "node:assert/strict";
import { test } from "node:test";
import { groupCommit } from "./group-commit.ts";

type Outcome = { value: string } | { reason: string };

/** A group commit whose batches end when the test says so. */
function commits() {
	const batches: { writes: string[]; done: PromiseWithResolvers<string[]> }[] = [];
	const group = groupCommit<string, string>((writes) => {
		const done = Promise.withResolvers<string[]>();
		batches.push({ writes, done });
		return done.promise;
	});
	const heard = new Map<string, Outcome>();
	const write = (name: string) =>
		void group.write(name).then(
			(value) => {
				heard.set(name, { value });
			},
			(error: Error) => {
				heard.set(name, { reason: error.message });
			},
		);
	const finish = async (number: number) => {
		const batch = batches[number];
		batch?.done.resolve(batch.writes.map((name) => `${name}!`));
		await settled();
	};
	return { group, batches, heard, write, finish, writes: () => batches.map(({ writes }) => writes) };
}

const settled = () => new Promise(setImmediate);

test("one batch is under way at a time, and what arrives meanwhile is the next one, in the order of the calls", async () => {
	const { group, write, writes, finish, heard } = commits();
	for (const name of ["a", "b", "c"]) write(name);
	assert.deepEqual(writes(), [["a"]]);
	assert.equal(group.length, 3);
	await finish(0);
	assert.deepEqual(writes(), [["a"], ["b", "c"]]);
	assert.deepEqual(Object.fromEntries(heard), { a: { value: "a!" } });
	await finish(1);
	assert.deepEqual(Object.fromEntries(heard), { a: { value: "a!" }, b: { value: "b!" }, c: { value: "c!" } });
	assert.equal(group.length, 0);
});

test("nobody hears of a write before the commit of its batch has ended", async () => {
	const { write, finish, heard } = commits();
	write("a");
	write("b");
	await settled();
	assert.deepEqual(Object.fromEntries(heard), {});
	await finish(0);
	assert.deepEqual([...heard.keys()], ["a"]);
});

test("a batch that fails is refused whole, and the next one goes on", async () => {
	const { write, batches, finish, heard } = commits();
	for (const name of ["a", "b", "c", "d"]) write(name);
	await finish(0);
	write("e");
	batches[1]?.done.reject(new Error("no room"));
	await settled();
	await finish(2);
	const reason = "no room";
	assert.deepEqual(Object.fromEntries(heard), {
		a: { value: "a!" },
		b: { reason },
		c: { reason },
		d: { reason },
		e: { value: "e!" },
	});
});

test("a batch holds a thousand writes at most", async () => {
	const { write, writes, finish } = commits();
	for (let number = 0; number < 2002; number++) write(String(number));
	await finish(0);
	await finish(1);
	assert.deepEqual(
		writes().map(({ length }) => length),
		[1, 1000, 1000],
	);
});

test("a commit that refuses every batch refuses everybody who waits, the last one too, and every later write", async () => {
	const refusal = new Error("it is over");
	const group = groupCommit<string, string>(() => Promise.reject(refusal));
	const names = Array.from({ length: 2500 }, (_, index) => `${index}`);
	const outcomes = await Promise.allSettled(names.map((name) => group.write(name)));
	assert.ok(outcomes.every((outcome) => outcome.status === "rejected" && outcome.reason === refusal));
	await assert.rejects(group.write("later"), refusal);
	assert.equal(group.length, 0);
});

test("a batch without one result for each request, or whose ids do not ascend, is acknowledged to nobody", async () => {
	const made = (id: bigint) => ({ outcome: "created", id }) as const;
	for (const results of [[], [made(1n), made(2n), made(3n)], [made(2n), made(1n)], [made(1n), made(1n)]]) {
		let isFirst = true;
		const group = groupCommit<string, unknown>(async () => {
			const answer = isFirst ? [made(0n)] : results;
			isFirst = false;
			return answer;
		});
		const outcomes = await Promise.allSettled(["a", "b", "c"].map((name) => group.write(name)));
		assert.deepEqual(
			outcomes.map(({ status }) => status),
			["fulfilled", "rejected", "rejected"],
		);
		assert.equal(group.created.animals, 1);
	}
});

test("created animals are counted when their commit has ended, and the batches that held some", async () => {
	let id = 0n;
	const group = groupCommit<string, unknown>(async (writes) =>
		writes.map((name) => (name === "pet" ? { outcome: "created", id: ++id } : { outcome: name })),
	);
	const all = [group.write("pet"), group.write("replayed"), group.write("pet"), group.write("pet")];
	assert.deepEqual(group.created, { animals: 0, batches: 0 });
	await Promise.all(all);
	await group.write("reused");
	assert.deepEqual(group.created, { animals: 3, batches: 2 });
});
