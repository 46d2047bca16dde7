// The console's logic that needs no browser: jobs, checks and searches over many rows, and the times of repeats.

import assert from "node:assert/strict";
import { test } from "node:test";
import { AnimalStore, ApiError, NoReply } from "../../client/src/index.ts";
import type { Scope } from "../../src/contract/operations.ts";
import { blobSource, detectKind } from "../../src/files/formats.ts";
import { until } from "../../test/support/until.ts";
import { createJob } from "./add-rows.ts";
import { type Checked, checkRows } from "./check-rows.ts";
import { describeFault } from "./fault-text.ts";
import { lookUpLost, mayRepeat } from "./look-up.ts";
import type { PetFile } from "./open-rows.ts";
import { callAfter, pauseAfter } from "./pause.ts";
import { noSearch, searchNames } from "./search.ts";

async function fileOf(lines: string[]): Promise<PetFile> {
	const source = blobSource(new Blob([["name,categoryId,colour", ...lines].join("\n")]));
	return { name: "a.csv", source, kind: await detectKind(source), options: {} };
}

/** A client of a service that has these names, and calls `onCreate` before each create. */
function storeWith(names: string[], onCreate = () => {}): AnimalStore<"bigint"> {
	const pets = names.map((name, at) => ({ id: at + 1, name, categoryId: 1 }));
	const reply: typeof fetch = async (_, { method, signal } = {}) => {
		signal?.throwIfAborted();
		if (method !== "POST") return Response.json(pets);
		onCreate();
		const pet = { id: pets.length + 1, name: "a", categoryId: 1 };
		pets.push(pet);
		return Response.json(pet, { status: 201 });
	};
	return new AnimalStore({ url: "http://127.0.0.1", key: "key", int64: "bigint", retryForMs: 0, fetch: reply });
}

const info = { id: "key_a", scopes: ["pets:read", "pets:write"] as Scope[], createSettlesMs: 60_000 };
const times = (count: number, line: string) => Array.from({ length: count }, () => line);

test("a job knows its rows per second over the last two seconds, and how many are left", async (context) => {
	let nowMs = 1000;
	context.mock.method(performance, "now", () => nowMs);
	const seen: [left: number, perSecond: number][] = [];
	const patientStore = storeWith([], () => {
		seen.push([job.state.left, job.state.perSecond]);
		nowMs += seen.length < 30 ? 100 : 50;
	});
	const job = createJob({ file: await fileOf(times(80, "a,1,")), total: 80, isInOrder: true });
	job.run({ info, patientStore });
	await until("the end of the job", () => job.state.phase === "finished");
	assert.deepEqual(
		[seen[0], seen[1], seen[6], seen[29], seen[79]],
		[
			[80, 0],
			[79, 0],
			[74, 10],
			[51, 10],
			[1, 20],
		],
	);
	const { added, left, perSecond } = job.state;
	assert.deepEqual([added, left, perSecond], [80, 0, 0]);
});

test("the first 200 rejected rows are shown, and all of them are kept as text; so in the check before", async () => {
	const file = await fileOf(["a,1,red", ...times(201, "a,x,red")]);
	const job = createJob({ file, total: 1, isInOrder: false });
	job.run({ info, patientStore: storeWith([]) });
	await until("the end of the job", () => job.state.phase === "finished");
	const { added, rejected, shown } = job.state;
	assert.deepEqual([added, rejected, shown.length, job.rejectedText().length], [1, 201, 200, 201]);
	const checks: Checked[] = [];
	await checkRows(file, new AbortController().signal, (checked) => void checks.push(checked));
	const last = checks.at(-1);
	const nothing = { values: [], damaged: [], damagedCount: 0 };
	assert.deepEqual(
		{ ...last, shown: last?.shown.length },
		{ ...nothing, good: 1, bad: 201, shown: 200, unused: ["colour"], isComplete: true },
	);
	await checkRows(file, AbortSignal.abort(), () => assert.fail("the view is gone"));
});

test("a category as text in JSON is not called too large because of zeros in front", () => {
	const sentence = (text: string) => describeFault({ field: "categoryId", problem: "must be an integer" }, text);
	assert.equal(sentence("007"), "Write the category without quotes");
	assert.equal(sentence("09223372036854775808"), "This number is too large for a category");
});

test("a search shows each part, pauses at 500 found, and goes on where it ended", async () => {
	const parts: string[] = [];
	const pets = (count: number) => Array.from({ length: count }, (_, at) => ({ id: BigInt(at + 1), name: "Rex" }));
	let next: { count: number; isComplete: boolean } | Error = { count: 200, isComplete: false };
	const ask = async (path: string, { signal }: { signal: AbortSignal }) => {
		signal.throwIfAborted();
		parts.push(path.replace("/console/find", ""));
		if (next instanceof Error) throw next;
		return { pets: pets(next.count), searched: 1000, lastId: `${parts.length}000`, isComplete: next.isComplete };
	};
	const shown: [end: string, found: number, searched: number][] = [];
	let last = noSearch;
	const search = (signal = new AbortController().signal) =>
		searchNames(ask, { name: "rex", status: "sold" }, last, signal, (state) => {
			last = state;
			shown.push([state.end, state.found.length, state.searched]);
		});
	await search();
	next = new NoReply("away");
	await search();
	next = { count: 1, isComplete: true };
	await search();
	last = noSearch;
	await search(AbortSignal.abort());
	assert.deepEqual(shown, [
		["running", 200, 1000],
		["running", 400, 2000],
		["full", 600, 3000],
		["failed", 600, 3000],
		["complete", 601, 4000],
		["stopped", 0, 0],
	]);
	assert.deepEqual([parts[0], parts[3]], ["?name=rex&status=sold&after=0", "?name=rex&status=sold&after=3000"]);
});

test("a request is sent again after 2, 4, 8, 16 and 30 seconds, later if the service says so, and only if that may help", () => {
	const refusal = (status: number, code: ApiError["code"], headers = {}) =>
		new ApiError("refused", new Response(null, { status, headers }), code);
	const noReply = new NoReply("no reply");
	assert.deepEqual(
		[0, 1, 2, 3, 4, 9].map((failures) => pauseAfter(noReply, failures)),
		[2000, 4000, 8000, 16_000, 30_000, 30_000],
	);
	assert.equal(pauseAfter(refusal(429, "rate_limited", { "retry-after": "7" }), 0), 7000);
	assert.equal(pauseAfter(refusal(429, "rate_limited", { "retry-after": "7" }), 2), 8000);
	assert.equal(pauseAfter(refusal(500, "internal_error"), 0), 2000);
	assert.equal(pauseAfter(refusal(404, "unexpected_reply"), 0), 2000);
	assert.equal(pauseAfter(refusal(404, "pet_not_found"), 0), undefined);
	assert.equal(pauseAfter(new Error("a bug"), 0), undefined);
});

test("a try comes when the countdown ends, also after the computer slept or its clock was set back", (context) => {
	let timerMs = 0;
	context.mock.method(performance, "now", () => timerMs);
	context.mock.timers.enable({ apis: ["Date", "setTimeout"], now: 1_000_000 });
	let tries = 0;
	const pass = (ms: number) => {
		timerMs += ms;
		context.mock.timers.tick(ms);
	};
	const start = () => callAfter(30_000, () => void tries++);
	start();
	pass(29_999);
	assert.equal(tries, 0);
	pass(1);
	pass(1);
	assert.equal(tries, 1);
	start();
	context.mock.timers.setTime(Date.now() + 60_000);
	pass(1001);
	assert.equal(tries, 2, "after sleep");
	start();
	pass(1000);
	timerMs += 29_000;
	pass(1001);
	assert.equal(tries, 3, "the clock was set back");
	start()();
	pass(40_000);
	assert.equal(tries, 3);
});

test("a lost create is repeated with its own key for 23 hours, and looked up when it can no longer be stored", async (context) => {
	context.mock.timers.enable({ apis: ["Date"], now: 1_000_000_000 });
	const lost = { keyId: "key_a", sentAtMs: Date.now(), failedAtMs: Date.now() };
	const create = { pet: { name: "Rex", categoryId: 1n }, after: 0n, equals: 0, lost };
	const sender = { info, patientStore: storeWith(["Max", "Rex"]) };
	assert.equal(mayRepeat({ info: { ...sender.info, id: "key_b" } }, lost), false);
	context.mock.timers.tick(59_000);
	await assert.rejects(lookUpLost(sender, [create]), { message: /In 1 s it is certain what was added/ });
	context.mock.timers.tick(1000);
	assert.deepEqual(await lookUpLost(sender, [create]), [2n]);
	context.mock.timers.tick(23 * 3_600_000 - 60_001);
	assert.equal(mayRepeat(sender, lost), true);
	context.mock.timers.tick(1);
	assert.equal(mayRepeat(sender, lost), false);
});
