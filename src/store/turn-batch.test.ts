// Batching the requests of one turn of the event loop: when they are sent, and which result each caller gets.

import assert from "node:assert/strict";
import { test } from "node:test";
import { createTurnBatch } from "./turn-batch.ts";

/** A batch function that records each batch sent. */
function asker(answer = async (questions: number[]) => questions.map((question) => question * 10)) {
	const sent: number[][] = [];
	const ask = createTurnBatch<number, number>(String, (questions) => {
		sent.push(questions);
		return answer(questions);
	});
	return { ask, sent };
}

test("requests of one turn are sent together at its end, including those of its later callbacks and microtasks", async () => {
	const { ask, sent } = asker();
	const answers = [ask(1)];
	await Promise.resolve();
	await new Promise<void>((resolve) => process.nextTick(resolve));
	assert.deepEqual(sent, [], "a microtask is not the end of the turn");
	answers.push(ask(2));
	assert.deepEqual(await Promise.all(answers), [10, 20]);
	assert.deepEqual(sent, [[1, 2]]);
});

test("equal requests of a turn are sent once and share the result", async () => {
	const { ask, sent } = asker();
	assert.deepEqual(await Promise.all([ask(1), ask(2), ask(1), ask(3), ask(2)]), [10, 20, 10, 30, 20]);
	assert.deepEqual(sent, [[1, 2, 3]]);
});

test("a request is sent again in a later turn, even while an equal request of an earlier turn is pending", async () => {
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

test("a failure rejects all requests of its turn, and no others", async () => {
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
