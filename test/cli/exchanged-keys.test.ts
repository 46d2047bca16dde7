// Imports in which any reply, request and key can be lost: a model of the animals that the list must have at the end.

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { AnimalStore } from "../../client/src/index.ts";
import { createJob, type Job } from "../../console/src/add-rows.ts";
import type { Sender } from "../../console/src/look-up.ts";
import { createPipeline } from "../../src/cli/create-pipeline.ts";
import { earlierRows } from "../../src/cli/import-look-up.ts";
import { sendRows } from "../../src/cli/import-send.ts";
import { watchInterrupt } from "../../src/cli/interrupt.ts";
import { blobSource, detectKind } from "../../src/files/formats.ts";
import { readRows } from "../../src/files/rows.ts";
import { createKey, revokeKey } from "../../src/keys/issue.ts";
import { openGate } from "../support/gate.ts";
import { listAll } from "../support/ledger.ts";
import { seed } from "../support/random.ts";
import { type TestService, testService } from "../support/service.ts";

/** The outcome of a create. `late`: it is stored after the import gave it up. */
type Fate = "answered" | "unanswered" | "unsent" | "late";

/** The network between an import and the service. */
function createNetwork() {
	let fates: Fate[] = [];
	let late: (() => Promise<unknown>)[] = [];
	const underWay = new Set<Promise<unknown>>();
	const send: typeof fetch = (input, { signal, ...init } = {}) => {
		const fate = init.method === "POST" ? (fates.shift() ?? "answered") : "answered";
		if (fate === "late") late.push(() => fetch(input, init));
		if (fate === "late" || fate === "unsent") return Promise.reject(new TypeError("the connection failed"));
		const reply = fetch(input, init);
		underWay.add(reply);
		return new Promise((resolve, reject) => {
			// A request that was sent is stored, whether or not its reply is awaited.
			signal?.addEventListener("abort", () => reject(signal.reason));
			reply.then(
				(value) => (fate === "answered" ? resolve(value) : reject(new TypeError("the reply is lost"))),
				reject,
			);
		});
	};
	async function settle(): Promise<void> {
		await Promise.allSettled([...underWay, ...late.map((sendNow) => sendNow())]);
		underWay.clear();
		late = [];
	}
	const expect = (next: readonly Fate[]) => {
		fates = [...next];
	};
	return { send, settle, expect };
}

async function createSenders({ url, issuer }: TestService, send: typeof fetch, count: number): Promise<Sender[]> {
	const scopes = ["pets:read", "pets:write"];
	const keys = Array.from({ length: count }, (_, n) => createKey(issuer, { name: `key ${n}`, scopes }));
	return (await Promise.all(keys)).map(({ id, key }) => ({
		info: { id, scopes, createSettlesMs: 0 },
		patientStore: new AnimalStore({ url, key, int64: "bigint", retryForMs: 0, fetch: send }),
	}));
}

async function newJob(names: readonly string[], isInOrder: boolean): Promise<Job> {
	const source = blobSource(new Blob([`name,categoryId\n${names.map((name) => `${name},1\n`).join("")}`]));
	const file = { name: "animals.csv", source, kind: await detectKind(source), options: {} };
	return createJob({ file, total: names.length, isInOrder });
}

/** Resolves when the job pauses or has finished. */
function stopped(job: Job): Promise<void> {
	return new Promise((resolve) => {
		const look = () => {
			if (job.state.phase === "running") return;
			job.watchers.delete(look);
			resolve();
		};
		job.watchers.add(look);
		look();
	});
}

const dayMs = 86_400_000;

const fate = fc.oneof(
	{ weight: 3, arbitrary: fc.constant<Fate>("answered") },
	fc.constantFrom<Fate>("unanswered", "unsent", "late"),
);
/** Events of a pause. */
const pause = fc.record({
	/** The key from here on. */
	sender: fc.nat(2),
	/** Another client adds an animal with this name. */
	adds: fc.option(fc.nat(3), { nil: undefined, freq: 4 }),
	isAdding: fc.boolean(),
	/** The Idempotency-Keys expire. */
	isLong: fc.nat(9).map((n) => n === 0),
});

interface Pause {
	sender: number;
	adds?: number | undefined;
	isAdding: boolean;
	isLong: boolean;
}

test("whatever is lost, and whenever the key is exchanged, each row of an import is added once or left to a person", async (context) => {
	const service = await testService(context);
	context.mock.timers.enable({ apis: ["Date"], now: Date.now() });
	const { send, settle, expect } = createNetwork();
	const senders = await createSenders(service, send, 3);
	let runs = 0;
	let decisions = 0;

	/** Runs a job with these pauses. @returns the names that a person rejected, and those that others added */
	async function runToEnd(job: Job, pauses: Pause[], nameOf: (n: number) => string) {
		const rejected: string[] = [];
		const foreign: string[] = [];
		let [sender] = senders;
		assert.ok(sender);
		job.run(sender);
		for (;;) {
			await stopped(job);
			await settle();
			if (job.state.phase === "finished") return { rejected, foreign };
			const next = pauses.shift() ?? { sender: 0, isAdding: true, isLong: false };
			sender = senders[next.sender] ?? sender;
			if (next.isLong) context.mock.timers.tick(dayMs);
			if (next.adds !== undefined) {
				foreign.push(nameOf(next.adds));
				await service.store.createPet({ name: nameOf(next.adds), categoryId: 1n });
			}
			if (job.state.undecided.length === 0) {
				job.run(sender);
				continue;
			}
			decisions++;
			if (!next.isAdding) rejected.push(...job.state.undecided.map(({ row }) => row.pet?.name ?? ""));
			job.decide(next.isAdding, sender);
		}
	}

	const names = fc.array(fc.nat(3), { minLength: 5, maxLength: 20 });
	const fates = fc.array(fate, { minLength: 10, maxLength: 40 });
	const pauses = fc.array(pause, { minLength: 5, maxLength: 20 });
	await fc.assert(
		fc.asyncProperty(names, fates, pauses, fc.boolean(), async (numbers, fates, pauses, isInOrder) => {
			const nameOf = (n: number) => `import ${runs} ${n}`;
			runs++;
			expect(fates);
			const job = await newJob(numbers.map(nameOf), isInOrder);
			const { rejected, foreign } = await runToEnd(job, [...pauses], nameOf);
			assert.equal(job.state.left, 0);
			const stored = (await listAll(service.url, service.key)).map(({ name }) => name);
			for (const name of new Set(numbers.map(nameOf))) {
				const count = (all: string[]) => all.filter((one) => one === name).length;
				const wanted = count(numbers.map(nameOf)) - count(rejected);
				const there = count(stored);
				// An equal animal of another client may be taken for one of the import.
				assert.ok(there >= wanted && there <= wanted + count(foreign), `${there} of ${wanted} and ${count(foreign)}`);
			}
			const { added, alreadyThere, rejected: left } = job.state;
			assert.deepEqual([added + alreadyThere, left], [numbers.length - rejected.length, rejected.length]);
		}),
		{ seed, numRuns: 40 },
	);
	context.diagnostic(`${runs} imports, ${decisions} decisions`);
	assert.ok(decisions > 10);
});

test("the command's import repeats no row whose Idempotency-Key may have expired meanwhile, and rejects it as unknown", async (context) => {
	const { url, key } = await testService(context);
	const gate = await openGate(context, url);
	context.mock.timers.enable({ apis: ["Date"], now: Date.now() });
	gate.loses = () => true;
	gate.onCreate = () => context.mock.timers.tick(dayMs);
	const pipeline = await createPipeline({ url: gate.url, key, connections: 1, depth: 1 });
	const interruption = watchInterrupt();
	context.after(interruption.end);
	const source = blobSource(new Blob(["name,categoryId\nRex,1\nMia,1\n"]));
	const reasons: string[] = [];
	const report = await sendRows({
		store: new AnimalStore({ url: gate.url, key, int64: "bigint" }),
		pipeline,
		rows: readRows(source, await detectKind(source)),
		digest: "0".repeat(64),
		newest: 0n,
		concurrency: 1,
		reject: (_row, reason) => reasons.push(reason),
		onAdded: () => assert.fail("no reply arrived"),
		interruption,
		onProgress: () => {},
	});
	assert.match(String(report.stoppedBy), /the import was stopped for too long to repeat a row/);
	assert.deepEqual(reasons, ["no reply: it may have been added with an id above 0", "not added: the import ended"]);
	assert.equal((await listAll(url, key)).length, 1);
});

test("a key that is refused when rows are looked up leaves each row rejected as it was, and the import incomplete", async (context) => {
	const { url, issuer } = await testService(context);
	const { id, key } = await createKey(issuer, { name: "short", scopes: ["pets:read", "pets:write"] });
	const reason = "no reply: it may have been added with an id above 7, beside 1 equal";
	const pet = { name: "Rex", categoryId: 1n };
	const row = { line: 2, row: 2, number: 2, pet, given: { columns: ["reason"], cells: [reason] } };
	const earlier = earlierRows();
	earlier.take(row);
	await revokeKey(issuer, id);
	const report = { added: 0, alreadyThere: 0, differing: 0, outOfOrder: 0, isComplete: true, stoppedBy: undefined };
	const rejected: unknown[] = [];
	await earlier.finish(report, {
		store: new AnimalStore({ url, key, int64: "bigint" }),
		connection: { url, key },
		reject: (row, reason) => rejected.push([row.line, reason]),
		signal: new AbortController().signal,
	});
	assert.deepEqual(rejected, [[2, reason]]);
	assert.equal(report.isComplete, false);
	assert.match(String(report.stoppedBy), /this API key does not work/);
});
