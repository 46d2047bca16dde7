// The importer against a real service, while requests and replies are lost, keys are replaced and other imports of the
// same file run. At the end, the list must have the same animals as a model.

import assert from "node:assert/strict";
import { hash } from "node:crypto";
import { getEventListeners } from "node:events";
import { test } from "node:test";
import fc from "fast-check";
import { bodyMaxBytes } from "../../src/contract/limits.ts";
import { blobSource, detectKind } from "../../src/files/formats.ts";
import { ImportFailure } from "../../src/files/import-request.ts";
import { createImporter, type SettledRow } from "../../src/files/importer.ts";
import { readRows } from "../../src/files/rows.ts";
import { createKey } from "../../src/keys/issue.ts";
import { listAll } from "../support/ledger.ts";
import { seed } from "../support/random.ts";
import { testService } from "../support/service.ts";
import { readPets } from "../support/store-reads.ts";
import { until } from "../support/until.ts";

/** What happens to a request. `late`: the service stores it after the importer has given up on it. */
type Fate = "answered" | "unanswered" | "unsent" | "late";

/** The network between an importer and the service. @param late gets functions that send the late requests */
function networkWith(fates: readonly Fate[], late: (() => Promise<unknown>)[]): typeof fetch {
	let sent = 0;
	return async (input, { signal: _, ...init } = {}) => {
		const fate = fates[sent++] ?? "answered";
		if (fate === "late") late.push(() => fetch(input, init));
		if (fate === "late" || fate === "unsent") throw new TypeError("the connection failed");
		const reply = await fetch(input, init);
		if (fate === "answered") return reply;
		throw new TypeError("the reply is lost");
	};
}

const never = new AbortController().signal;

async function importerOf(lines: readonly string[], round = 1) {
	const source = blobSource(new Blob([`name,categoryId\n${lines.join("\n")}\n`]));
	const settled: SettledRow[] = [];
	const rows = readRows(source, await detectKind(source));
	const sha256 = (text: string) => hash("sha256", text);
	const file = { file: "a.csv", digest: sha256(lines.join()).slice(0, 16) };
	return {
		...createImporter({ rows, file, hash: sha256, round, onSettled: (batch) => void settled.push(...batch) }),
		settled,
		count: (outcome: SettledRow["outcome"]) => settled.filter((row) => row.outcome === outcome).length,
	};
}

const fate = fc.oneof(
	{ weight: 2, arbitrary: fc.constant<Fate>("answered") },
	fc.constantFrom<Fate>("unanswered", "unsent", "late"),
);

test("whatever is lost, with whatever keys, an import adds each row once, in the file's order", async (context) => {
	const { url, issuer, store, key: reader } = await testService(context);
	const scopes = ["pets:write"];
	const keys = await Promise.all([1, 2, 3].map((n) => createKey(issuer, { name: `key ${n}`, scopes })));
	let [runs, failures, lastId] = [0, 0, 0n];
	const sizes = fc.array(fc.nat(250), { minLength: 1, maxLength: 300, size: "max" });
	const [ofRequests, ofRuns] = [fc.array(fate, { minLength: 3, maxLength: 8 }), fc.array(fc.nat(2))];
	await fc.assert(
		fc.asyncProperty(sizes, ofRequests, ofRuns, async (lengths, fates, turns) => {
			runs++;
			// Names have up to 750 bytes, so that the sizes of batches differ. Some names repeat.
			const names = lengths.map((length, n) => `import ${runs} ${n % 7} ${"犬".repeat(Math.min(length, 235))}`);
			const importer = await importerOf(names.map((name) => `${name},1`));
			const late: (() => Promise<unknown>)[] = [];
			const send = networkWith(fates, late);
			for (let isComplete = false; !isComplete; ) {
				const { key } = keys[turns.shift() ?? 0] as (typeof keys)[0];
				try {
					isComplete = await importer.run({ url, key, retryForMs: 0, signal: never, fetch: send });
				} catch (error) {
					assert.ok(error instanceof ImportFailure && error.kind === "unreachable", String(error));
					failures++;
				}
				await Promise.all(late.splice(0).map((sendNow) => sendNow()));
			}
			const stored = await readPets(store, { after: lastId, limit: 1000 });
			lastId = stored.at(-1)?.id ?? lastId;
			const storedNames = stored.map(({ name }) => name);
			assert.deepEqual(storedNames, names);
			assert.equal(importer.count("added"), names.length, "a row whose reply was lost was not there before");
			const again = await importerOf(names.map((name) => `${name},1`));
			assert.ok(await again.run({ url, key: reader, retryForMs: 0, signal: never }));
			assert.equal(again.count("present"), names.length, "the same file with another key adds nothing");
		}),
		{ seed, numRuns: 30, endOnFailure: true },
	);
	context.diagnostic(`${runs} imports, ${failures} failures`);
	assert.ok(failures > 5, `${failures} failures`);
});

test("a batch that is too large is halved, down to a row, and sent when Retry-After says", async (context) => {
	const { url, key } = await testService(context);
	const sizes: number[] = [];
	let [refusedAtMs, waitedMs, refusals] = [0, 0, 1];
	const send: typeof fetch = async (input, { signal: _, ...init } = {}) => {
		const size = Buffer.byteLength(String(init.body));
		if (sizes.length > 4 && refusals-- > 0) return new Response(null, { status: 401 });
		if (sizes.push(size) === 2) {
			refusedAtMs = performance.now();
			return new Response(null, { status: 429, headers: { "retry-after": "1" } });
		}
		waitedMs ||= refusedAtMs && performance.now() - refusedAtMs;
		return size > 800 ? new Response("too large", { status: 413 }) : fetch(input, init);
	};
	const names = Array.from({ length: 50 }, (_, n) => `animal ${n}`);
	names[20] = "犬".repeat(255);
	const importer = await importerOf(names.map((name) => `${name},1`));
	const { signal } = new AbortController();
	const target = { url, key, retryForMs: 10_000, signal, fetch: send };
	await assert.rejects(importer.run(target), { kind: "refused" });
	assert.ok(await importer.run(target));
	assert.equal(importer.count("added"), 49, "the rows of a half that was stored before the refusal, too");
	const [alone] = importer.settled.flatMap(({ faults = [] }) => faults);
	assert.equal(alone?.problem, "another server, such as a proxy, replied 413", "a row that is too large alone");
	assert.deepEqual(getEventListeners(signal, "abort"), []);
	assert.ok(sizes.some((size) => size > 800) && sizes.some((size) => size <= 800));
	assert.ok(waitedMs >= 1000, `${waitedMs} ms`);
	const added = (await listAll(url, key)).map(({ name }) => name);
	assert.deepEqual(added, names.toSpliced(20, 1));
});

test("a batch without a reply is sent again for 23 hours, not after its keys may have expired", async (context) => {
	const { url, key } = await testService(context);
	context.mock.timers.enable({ apis: ["Date"], now: Date.now() });
	for (const [round, minutes] of [-1, 1].entries()) {
		const importer = await importerOf(["Rex,1", "Mia,1"], round + 1);
		let sent = 0;
		const send: typeof fetch = async (...request) => {
			const reply = await fetch(...request);
			if (sent++ > 0) return reply;
			context.mock.timers.tick(23 * 3_600_000 + minutes * 60_000);
			throw new TypeError("the reply is lost");
		};
		const running = importer.run({ url, key, retryForMs: 10_000, signal: never, fetch: send });
		if (minutes < 0) {
			assert.deepEqual([await running, importer.count("added")], [true, 2]);
			continue;
		}
		await assert.rejects(running, { kind: "expired", message: /some rows could be added twice/ });
		assert.equal((await listAll(url, key)).length, 4);
	}
});

test("after a lost reply, rows of this import count as added, of an earlier one as present", async () => {
	for (const [ageMs, added] of Object.entries({ 3600000: 0, [-1000]: 2 })) {
		const importer = await importerOf(["Rex,1", "Mia,1"]);
		const target = { url: "http://127.0.0.1", key: "key", retryForMs: 0, signal: never };
		const lose = () => Promise.reject(new TypeError("the reply is lost"));
		await assert.rejects(importer.run({ ...target, fetch: lose }), { kind: "unreachable" });
		await assert.rejects(importer.run({ ...target, overdue: AbortSignal.abort() }), { name: "AbortError" });
		// A proxy's reply to a later attempt does not say whether the first one was stored.
		for (const status of [502, 504, 429])
			await assert.rejects(importer.run({ ...target, fetch: async () => new Response(null, { status }) }), {
				kind: "unreachable",
				hasReply: true,
			});
		const atMs = Date.now() - Number(ageMs);
		const results = [1, 2].map((id) => ({ outcome: "present", id, atMs }));
		assert.ok(await importer.run({ ...target, fetch: async () => Response.json({ results }) }));
		assert.deepEqual([importer.count("added"), importer.count("present")], [added, 2 - added], ageMs);
	}
});

test("each batch is as large as a request may be, and one that failed is sent again as it was", async (context) => {
	const bodies: string[] = [];
	const { mock } = context.mock.method(AbortSignal, "timeout");
	const send: typeof fetch = async (_, { body, redirect, cache } = {}) => {
		assert.deepEqual([redirect, cache], ["error", "no-store"], "the key is not sent to a redirect target");
		bodies.push(String(body));
		if (bodies.length === 2) throw new TypeError("the connection failed");
		const { rows } = JSON.parse(String(body)) as { rows: object[] };
		return Response.json({ results: rows.map((_row, at) => ({ outcome: "added", id: at + 1 })) });
	};
	const long = "犬".repeat(200);
	const lines = Array.from({ length: 500 }, (_, n) => `${long}${n % 2 ? "" : " no number"},${n % 5 ? n : "x"}`);
	const importer = await importerOf(lines);
	const target = { url: "http://127.0.0.1", key: "key", retryForMs: 0, signal: never, fetch: send };
	await assert.rejects(importer.run(target), { kind: "unreachable" });
	assert.ok(await importer.run(target));
	assert.equal(bodies[1], bodies[2]);
	assert.deepEqual(mock.calls[0]?.arguments, [30_000], "a service without a reply is tried again");
	const sizes = bodies.map((body) => Buffer.byteLength(body));
	const full = sizes.slice(0, -1).filter((size) => size > bodyMaxBytes - 1000 && size <= bodyMaxBytes);
	assert.equal(full.length, sizes.length - 1, sizes.join(" "));
	assert.deepEqual([importer.count("added"), importer.count("rejected")], [400, 100]);
	const numbers = importer.settled.map(({ row }) => row.number - 2);
	assert.deepEqual(numbers, [...lines.keys()], "each row once, in the order of the file");
});

test("the waits for a busy service double up to 8 seconds, and an interruption ends the timer", async (context) => {
	const importer = await importerOf(["Rex,1"]);
	const target = { url: "http://127.0.0.1", key: "key", retryForMs: 1_000_000, signal: never };
	const timers = () => process.getActiveResourcesInfo().filter((name) => name === "Timeout").length;
	const [stop, before] = [new AbortController(), timers()];
	const busy = (after: string) => new Response(null, { status: 503, headers: { "retry-after": after } });
	const stopping = async () => setImmediate(() => stop.abort()) && busy("600");
	await assert.rejects(importer.run({ ...target, signal: stop.signal, fetch: stopping }), { name: "AbortError" });
	await until("the timer to end", () => timers() === before);
	context.mock.method(Math, "random", () => 1);
	const waits: number[] = [];
	const start = setTimeout;
	context.mock.method(globalThis, "setTimeout", (run: () => void, ms: number) => start(run, 0 * waits.push(ms)));
	const results = [{ outcome: "added", id: 1 }];
	await importer.run({ ...target, fetch: async () => (waits.length < 8 ? busy("0") : Response.json({ results })) });
	assert.deepEqual(waits, [200, 400, 800, 1600, 3200, 6400, 8000, 8000]);
});

test("a reply that is not the service's ends an import; its rows are sent when it continues", async (context) => {
	const { url, key } = await testService(context);
	for (const [code, body] of Object.entries({ 200: "<html>", 201: '{"results":[]}', 500: "<html>" })) {
		const status = Number(code);
		const importer = await importerOf([`Rex,${status}`]);
		const garbled: typeof fetch = async (...request) => {
			await fetch(...request);
			return new Response(body, { status });
		};
		await assert.rejects(importer.run({ url, key, retryForMs: 10_000, signal: never, fetch: garbled }), {
			kind: "unexpected",
			message: `another server, such as a proxy, replied ${status}`,
		});
		assert.ok(await importer.run({ url, key, retryForMs: 0, signal: never }));
		assert.deepEqual([importer.count("added"), importer.count("present")], [1, 0]);
	}
});
