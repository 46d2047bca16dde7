// Questions of one turn of the event loop: when they go out, and who gets which answer.

import assert from "node:assert/strict";
import { test } from "node:test";
import { turnBatch } from "./turn-batch.ts";

/** Asks, and keeps what went out. */
function asker(answer = async (questions: number[]) => questions.map((question) => question * 10)) {
	const sent: number[][] = [];
	const ask = turnBatch<number, number>(String, (questions) => {
		sent.push(questions);
		return answer(questions);
	});
	return { ask, sent };
}

test("what is asked in one turn goes out together at its end, also from later callbacks and microtasks of it", async () => {
	const { ask, sent } = asker();
	const answers = [ask(1)];
	await Promise.resolve();
	await new Promise<void>((resolve) => process.nextTick(resolve));
	assert.deepEqual(sent, [], "a microtask is not the end of the turn");
	answers.push(ask(2));
	assert.deepEqual(await Promise.all(answers), [10, 20]);
	assert.deepEqual(sent, [[1, 2]]);
});

test("equal questions of a turn are asked once, and each gets the answer", async () => {
	const { ask, sent } = asker();
	assert.deepEqual(await Promise.all([ask(1), ask(2), ask(1), ask(3), ask(2)]), [10, 20, 10, 30, 20]);
	assert.deepEqual(sent, [[1, 2, 3]]);
});

test("a question of a later turn is asked again, while an equal one of an earlier turn has no answer yet", async () => {
	const held: PromiseWithResolvers<void> = Promise.withResolvers();
	let asked = 0;
	const { ask, sent } = asker(async () => {
		const number = ++asked;
		await held.promise;
		return [number];
	});
	const first = ask(1);
	await new Promise(setImmediate);
	const second = ask(1);
	await new Promise(setImmediate);
	held.resolve();
	assert.deepEqual(await Promise.all([first, second]), [1, 2]);
	assert.deepEqual(sent, [[1], [1]]);
});

test("a failure reaches everybody who asked in that turn, and nobody else", async () => {
	const { ask } = asker(async (questions) => {
		if (questions.includes(2)) throw new Error("lost");
		return questions;
	});
	const failed = await Promise.allSettled([ask(1), ask(2), ask(1)]);
	assert.deepEqual(
		failed.map(({ status }) => status),
		["rejected", "rejected", "rejected"],
	);
	assert.equal(await ask(1), 1);
});
