// The requests of one tick of the event loop are sent as a batch: when it is sent, and which result each caller gets.

import assert from "node:assert/strict";
import { test } from "node:test";
import { createTickBatch } from "./tick-batch.ts";

/** A batch function that records the batches that are sent. */
function recordBatches(execute = async (requests: number[]) => requests.map((request) => request * 10)) {
	const sent: number[][] = [];
	const read = createTickBatch<number, number>(String, (requests) => {
		sent.push(requests);
		return execute(requests);
	});
	return { read, sent };
}

test("requests of one tick are sent together at its end, including those of its later callbacks and microtasks", async () => {
	const { read, sent } = recordBatches();
	const results = [read(1)];
	await Promise.resolve();
	await new Promise<void>((resolve) => process.nextTick(resolve));
	assert.deepEqual(sent, [], "a microtask is not the end of the tick");
	results.push(read(2));
	assert.deepEqual(await Promise.all(results), [10, 20]);
	assert.deepEqual(sent, [[1, 2]]);
});

test("equal requests of a tick are sent once and share the result", async () => {
	const { read, sent } = recordBatches();
	assert.deepEqual(await Promise.all([read(1), read(2), read(1), read(3), read(2)]), [10, 20, 10, 30, 20]);
	assert.deepEqual(sent, [[1, 2, 3]]);
});

test("a request is sent again in a later tick, even while an equal request of an earlier tick is pending", async () => {
	const held: PromiseWithResolvers<void> = Promise.withResolvers();
	let calls = 0;
	const { read, sent } = recordBatches(async () => {
		const number = ++calls;
		await held.promise;
		return [number];
	});
	const first = read(1);
	await new Promise(setImmediate);
	const second = read(1);
	await new Promise(setImmediate);
	held.resolve();
	assert.deepEqual(await Promise.all([first, second]), [1, 2]);
	assert.deepEqual(sent, [[1], [1]]);
});

test("a failure rejects all requests of its tick, and no others", async () => {
	const { read } = recordBatches(async (requests) => {
		if (requests.includes(2)) throw new Error("lost");
		return requests;
	});
	const failed = await Promise.allSettled([read(1), read(2), read(1)]);
	assert.deepEqual(
		failed.map(({ status }) => status),
		["rejected", "rejected", "rejected"],
	);
	assert.equal(await read(1), 1);
});

test("a rejected promise among the results rejects only its request", async () => {
	const { read } = recordBatches(async (requests) =>
		requests.map((request) => (request === 2 ? (Promise.reject(new Error("damaged")) as never) : request)),
	);
	const settled = await Promise.allSettled([read(1), read(2), read(3)]);
	assert.deepEqual(
		settled.map(({ status }) => status),
		["fulfilled", "rejected", "fulfilled"],
	);
});
