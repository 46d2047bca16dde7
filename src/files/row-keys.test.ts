// The keys of rows: equal for rows with the same content, in every version and format of a file.

import assert from "node:assert/strict";
import { hash } from "node:crypto";
import { test } from "node:test";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { seededRandom } from "../../test/support/random.ts";
import { until } from "../../test/support/until.ts";
import { blobSource, detectKind } from "./formats.ts";
import { createCounter, createRowKeys, type RowKey } from "./row-keys.ts";
import { readRows } from "./rows.ts";

const sha256 = (text: string) => hash("sha256", text);

async function keysOf(text: string, round?: number): Promise<RowKey[]> {
	const source = blobSource(new Blob([text]));
	const keyOf = createRowKeys(sha256, round);
	const keys: RowKey[] = [];
	for await (const rows of readRows(source, await detectKind(source))) keys.push(...rows.map(keyOf));
	return keys;
}

test("a row's key is made of its cells and of the equal rows before it, wherever the row stands", async () => {
	const [pico, moss, fern] = await keysOf("name,type\nPico,Dog\nMoss,Cat\nFern,Cat\n");
	// Another version must make the same keys, so that it can resume an import.
	assert.deepEqual(pico, { key: "4a82edd2f05df596ce772dec" });
	assert.equal(new Set([pico, moss, fern].map((one) => one?.key)).size, 3);
	const same = [
		"name,type\nFern,Cat\nPico,Dog\nMoss,Cat\n",
		"name;type;;\nFern;Cat;;\nPico;Dog\nMoss;Cat;\n",
		"line,reason,name,type\n9,why,Fern,Cat\n7,why,Pico,Dog\n8,why,Moss,Cat\n",
	];
	for (const text of same) assert.deepEqual(await keysOf(text), [fern, pico, moss], text);
	const repeated = await keysOf("name,type\nPico,Dog\nPico,Dog\nFern,Cat\nPico,Dog\n");
	assert.deepEqual(
		repeated.map(({ key }) => key),
		[pico?.key, `${pico?.key}-2`, fern?.key, `${pico?.key}-3`],
	);
	assert.deepEqual(await keysOf("name,type\nPico,Dog\nPico,Dog\n", 2), [
		{ key: `${pico?.key}-1-2` },
		{ key: `${pico?.key}-2-2` },
	]);
	const [json] = await keysOf('{"name":"Pico  A","type":"Dog"}');
	for (const text of [
		'[\n  { "name": "Pico  A",\n "type": "Dog" }\n]',
		'{"name":"Pico  A","type":"Dog","line":4,"reason":"why"}',
	])
		assert.deepEqual(await keysOf(text), [json], text);
	assert.notDeepEqual(await keysOf('{"name":"Pico A","type":"Dog"}'), [json]);
	const exported = await keysOf("id,name,categoryId,status\n7,Pico,4,sold\n8,Moss,5,\n");
	const lines = '{"id":7,"name":"Pico","categoryId":4,"status":"sold"}\n{"id":8,"name":"Moss","categoryId":5}\n';
	assert.deepEqual(await keysOf(lines), exported, "a list as CSV and as JSON");
});

test("a row with an id of its own has the id's key and a hash of its cells, in tables and JSON", async () => {
	const [first, again, none] = await keysOf("Animal ID,name,type\nZ1,Pico,Dog\nZ1,Pico,Dog\n,Pico,Dog\n");
	const [renamed] = await keysOf("name,Animal ID,type\nPicco,Z1,Dog\n");
	assert.equal(renamed?.key, first?.key);
	assert.notEqual(renamed?.cells, first?.cells);
	assert.deepEqual([again?.cells, none?.cells], [undefined, undefined]);
	assert.equal(new Set([first, again, none].map((one) => one?.key)).size, 3);
	const [one, other] = await keysOf('{"id":7,"name":"Pico","type":"Dog"}\n{"id":7,"name":"Moss","type":"Dog"}\n');
	assert.ok(one?.cells && other && other.cells === undefined && one.key !== other.key);
	const counted = await keysOf("No,Tag,Category ID,name\n1,a,4,Pico\n1,a,4,Moss\n");
	assert.deepEqual(
		counted.map(({ cells }) => cells),
		[undefined, undefined],
		"a number of the list, or an id of something else, is no id of an animal",
	);
});

test("the counter counts as a map does, with at most 16 bytes for each text", async (context) => {
	const random = seededRandom(7);
	setFlagsFromString("--expose-gc");
	const collectGarbage = runInNewContext("gc");
	collectGarbage();
	const before = process.memoryUsage().arrayBuffers;
	const count = createCounter();
	const expected = new Map<string, number>();
	for (let n = 0; n < 300_000; n++) {
		const digest = sha256(String(Math.floor(random() ** 2 * 1_000_000)));
		const known = expected.get(digest) ?? 0;
		expected.set(digest, known + 1);
		if (count(digest) !== known) assert.fail(`text ${n} was not there ${known} times`);
	}
	let bytes = 0;
	await until("the tables that have grown are collected", () => {
		collectGarbage();
		bytes = process.memoryUsage().arrayBuffers - before;
		return bytes < 16 * expected.size + 2 ** 20;
	});
	context.diagnostic(`${expected.size} texts, ${(bytes / expected.size).toFixed(1)} bytes for each`);
	assert.equal(count("f".repeat(64)), 0, "the counter is still in use");
});
