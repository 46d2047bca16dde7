// What functions with a state do step by step: each sign of a text is a step. Variants leave steps out, repeat them, and
// put others between them, so that most states are gone through twice.

import { performance } from "node:perf_hooks";
import { type TestContext, test } from "node:test";
import { setImmediate as tick } from "node:timers/promises";
import { repeatFinder } from "../../src/files/proposals.ts";
import type { FileRow } from "../../src/files/rows.ts";
import { createRateLimits } from "../../src/http/admission.ts";
import { type CachedReply, createCacheEntries } from "../../src/http/response-cache.ts";
import { Turns } from "../../src/http/turns.ts";
import { createUnsent } from "../../src/http/unsent.ts";
import { hashOfKey, keyFromRandom } from "../../src/keys/formats.ts";
import { createKeyCheck } from "../../src/keys/key-check.ts";
import { createSeries, histogramSamples } from "../../src/ops/exposition.ts";
import { createBackground } from "../../src/store/background.ts";
import { erasedFingerprint, keyOfCreate, planBatch } from "../../src/store/idempotency.ts";
import { createLimit } from "../../src/store/limit.ts";
import { type KeyRow, type KeyRows, StorageUnavailable, type WriteQueue } from "../../src/store/store.ts";
import { watchWrites } from "../../src/store/write-watch.ts";
import { outcomesIn } from "../support/outcomes.ts";

const assertSteps = outcomesIn("steps");
const isDigit = (sign: string) => /\d/.test(sign);

/** A digit is a tenth of a second; `a` and `b` are requests, `c` is one of a key with its own rate, `A` has 3 items. */
function rateLimits(steps: string): unknown[] {
	let nowMs = 0;
	const limits = createRateLimits({ requests: 3, windowSeconds: 1 }, () => nowMs);
	const key = (id: string) => ({ id, ...(id === "c" && { rate: "2/2s" }) }) as KeyRow;
	return [...steps].map((step) => {
		nowMs += isDigit(step) ? Number(step) * 100 : 0;
		if (/[A-Z]/.test(step)) return limits.countItems(key(step.toLowerCase()), 3);
		if (!/[a-z]/.test(step)) return nowMs;
		const { headers, refused } = limits.count(key(step)) ?? {};
		return [headers, refused?.message, refused?.retryAfterSeconds];
	});
}

/** A letter is a task of the key with this name; a digit ends the task with this number; `!` lets the last one leave. */
async function turns(steps: string): Promise<string[]> {
	const said: string[] = [];
	const turns = new Turns({ runningMax: 2, keyRunningMax: 1, keyMax: 3, tasks: "tasks" });
	const tasks: { end: () => void; leave: () => void }[] = [];
	for (const step of `${steps}0123456789`) {
		if (isDigit(step)) tasks[Number(step)]?.end();
		else if (step === "!") tasks.at(-1)?.leave();
		else {
			const [at, ended, left] = [tasks.length, Promise.withResolvers<void>(), new AbortController()];
			tasks.push({ end: () => ended.resolve(), leave: () => left.abort(new Error("left")) });
			const task = () => {
				said.push(`${at} starts`);
				return ended.promise;
			};
			const end = (how: string) => void said.push(`${at} ${how}`);
			turns.run(step, task, left.signal).then(
				() => end("ends"),
				(error: Error) => end(error.message),
			);
		}
		await tick();
	}
	return said;
}

/** `s` starts a task of two at a time, a digit ends the task with this number, and `t` is half of the longest wait. */
async function limit(steps: string, { mock }: TestContext): Promise<string[]> {
	const said: string[] = [];
	mock.timers.enable({ apis: ["setTimeout"] });
	const limited = createLimit(2, 100, "late");
	const ends: (() => void)[] = [];
	for (const step of steps) {
		if (isDigit(step)) ends[Number(step)]?.();
		else if (step === "t") mock.timers.tick(50);
		else {
			const [at, ended] = [ends.length, Promise.withResolvers<void>()];
			ends.push(ended.resolve);
			const end = (how: string) => void said.push(`${at} ${how}`);
			const task = () => {
				end("starts");
				return ended.promise;
			};
			limited(task).then(
				() => end("ends"),
				(error: Error) => end(error.message),
			);
		}
		await tick();
	}
	mock.timers.reset();
	return said;
}

/** A small letter adds a reply, and a digit is the size of the next ones; a capital letter looks for a reply. */
function cacheEntries(steps: string): unknown[] {
	const entries = createCacheEntries(3000);
	let size = 1;
	return [...steps].map((step) => {
		if (isDigit(step)) size = Number(step) * 50;
		else if (/[A-Z]/.test(step)) return entries.find(step.toLowerCase())?.json.length ?? "none";
		else entries.add(step, { json: "x".repeat(size), links: "y" } as CachedReply);
		return size;
	});
}

/** A letter is a request, whose key it names in lower case; a digit is what the next ones hold. */
function heldBytes(steps: string): unknown[] {
	const cut: string[] = [];
	const unsent = createUnsent({ keyMaxBytes: 9, allMaxBytes: 15 });
	let bytes = 0;
	const holders = new Map<string, Parameters<typeof unsent.hold>[0]>();
	for (const step of steps) {
		if (isDigit(step)) bytes = Number(step);
		const holder = { caller: { id: step.toLowerCase() } as KeyRow, cut: () => void cut.push(`${step} is cut`) };
		if (!holders.has(step)) holders.set(step, holder as never);
		if (!isDigit(step)) unsent.hold(holders.get(step) as never, bytes);
		cut.push(`${unsent.bytes()}`);
	}
	return cut;
}

/** A letter is a create with this key, a capital one with another animal; `-` has no key. `x` and `y` were used. */
function batch(steps: string): unknown {
	const keyOf = (key: string) =>
		keyOfCreate({
			pet: { name: /[A-Z]/.test(key) ? "Mia" : "Rex", categoryId: 1n },
			idempotencyKey: key === "-" ? undefined : { caller: "c", key: key.toLowerCase() },
			nowMs: 5,
		});
	const used = { caller: "c", createdAtMs: 1, petId: 7n };
	const taken = [
		{ ...used, key: "x", fingerprint: keyOf("x")?.fingerprint ?? "" },
		{ ...used, key: "y", fingerprint: erasedFingerprint, origin: "o" },
	];
	return planBatch([...steps].map(keyOf), taken, 100n);
}

/** A digit is the id of the next rows; a letter is the name of a row, `-` no name, and a capital letter no animal. */
function repeats(steps: string): unknown {
	const finder = repeatFinder({ at: 0, nameAt: 1, name: "id", isConfirmed: false });
	let id = "";
	for (const [number, step] of [...steps].entries()) {
		if (isDigit(step)) id = step;
		const faults = /[A-Z]/.test(step) ? { faults: [{ field: "name", problem: "x" }] } : {};
		const row = { number, given: { cells: [id, step === "-" ? "" : step] }, ...faults };
		if (!isDigit(step)) finder.add(row as unknown as FileRow);
	}
	return [[...finder.others], finder.isLikely(), finder.animals];
}

/** A digit is a tenth of a second, `a` a request with a key and `b` with an unknown one; capital letters are events. */
async function keyCheck(steps: string, { mock }: TestContext): Promise<unknown[]> {
	let nowMs = 1000;
	const clock = mock.method(performance, "now", () => nowMs);
	const said: unknown[] = [];
	const [key, unknown] = ["a", "b"].map((sign) => keyFromRandom(Buffer.alloc(32, sign))) as [string, string];
	const row = { id: "a", timeline: "t", secret: { expiresAtMs: 3500 } } as KeyRow;
	const state = { timeline: "t", isDown: false, isRevoked: false };
	const rows = {
		get timeline() {
			return state.timeline;
		},
		async findByHash(hash: string) {
			said.push("reads");
			if (state.isDown) throw new Error("down");
			if (hash !== hashOfKey(key)) return undefined;
			return { ...row, timeline: state.timeline, revokedAtMs: state.isRevoked ? 1 : undefined };
		},
		async touch(uses: unknown) {
			if (state.isDown) throw new Error("down");
			said.push(uses);
		},
	};
	const check = createKeyCheck(rows as unknown as KeyRows, () => nowMs, createBackground());
	for (const step of steps) {
		if (isDigit(step)) nowMs += Number(step) * 100;
		else if (step === "D") state.isDown = !state.isDown;
		else if (step === "R") state.isRevoked = true;
		else if (step === "T") state.timeline += "t";
		else if (step === "U" || step === "V") check.noteUse(row, step);
		else if (step === "C") await check.close();
		else {
			const found = check.check(step === "a" ? key : step === "b" ? unknown : `${key}${step}`);
			const how = found instanceof Promise ? "after a read" : "at once";
			said.push(
				await Promise.resolve(found).then(
					(one) => `${one?.id} ${how}`,
					(error) => error.message,
				),
			);
		}
		await tick();
	}
	await check.close();
	clock.mock.restore();
	return said;
}

/** `w`, `f` and `e`: a write that succeeds, fails, or has an unexpected error; `D` changes what the probe finds. */
async function writeWatch(steps: string, { mock }: TestContext): Promise<unknown[]> {
	let nowMs = 0;
	const clock = mock.method(performance, "now", () => nowMs);
	const said: unknown[] = [];
	let isDown = false;
	const probe = async () => {
		said.push("probe");
		if (isDown) throw new StorageUnavailable("down");
	};
	const onFatal = (...given: unknown[]) => void said.push(given);
	const watch = watchWrites(probe, { background: createBackground(), onFatal });
	const results: Record<string, () => Promise<void>> = {
		w: async () => {},
		f: () => Promise.reject(new StorageUnavailable("f")),
		e: () => Promise.reject(new Error("e")),
	};
	for (const step of steps) {
		if (isDigit(step)) nowMs += Number(step) * 500;
		else if (step === "D") isDown = !isDown;
		else if (step === "S") watch.stop("why", isDown);
		else if (step === "c") await watch.check();
		else await watch.observe(results[step]?.() ?? Promise.resolve()).catch((error) => said.push(error.message));
		said.push(watch.state({ isFull: step === "q" } as WriteQueue));
		await tick();
	}
	clock.mock.restore();
	return said;
}

const parts = {
	"rate limits": rateLimits,
	turns,
	limit,
	"cache entries": cacheEntries,
	"held bytes": heldBytes,
	batch,
	repeats,
	"key check": keyCheck,
	"write watch": writeWatch,
	series: (text: string) => {
		const series = createSeries([0.5, 1, 2]);
		for (const number of text.split(",")) series.observe(Number(number));
		return histogramSamples(series, { a: "b" });
	},
};

for (const [name, run] of Object.entries(parts))
	test(`${name}: each step does what is recorded`, (context) => assertSteps(name, (steps) => run(steps, context), 150));
