// Tests of the console's logic that need no browser: jobs and checks of many rows, choices, and retry times.

import assert from "node:assert/strict";
import { test } from "node:test";
import { ApiError, NoReply } from "../../../client/src/index.ts";
import { blobSource, detectKind } from "../../../src/files/formats.ts";
import { until } from "../../../test/support/until.ts";
import { categoryChoices, categoryIdOf } from "../categories/category-choices.ts";
import { pauseAfter } from "../parts/pause.ts";
import type { Sender } from "../session/asking.ts";
import { createJob } from "./add-rows.ts";
import { type Checked, checkRows } from "./check-rows.ts";
import type { PetFile } from "./open-rows.ts";

async function fileOf(lines: string[]): Promise<PetFile> {
	const source = blobSource(new Blob([["name,categoryId,colour", ...lines].join("\n")]));
	return { name: "a.csv", source, kind: await detectKind(source), options: {} };
}

/** A service that adds all rows of each batch, after it has called `onBatch`. */
function serviceWith(onBatch = () => {}): Sender {
	const reply: typeof fetch = async (_, init = {}) => {
		onBatch();
		const { rows } = JSON.parse(String(init.body)) as { rows: object[] };
		return Response.json({ results: rows.map((_row, at) => ({ outcome: "added", id: at + 1 })) });
	};
	return { url: "http://127.0.0.1", key: "key", fetch: reply };
}

const times = (count: number, line: string) => Array.from({ length: count }, () => line);

test("a job knows its rows per second over the last two seconds, and how many are left", async (context) => {
	let nowMs = 1000;
	context.mock.method(performance, "now", () => nowMs);
	const seen: [left: number, perSecond: number][] = [];
	const sender = serviceWith(() => {
		seen.push([job.state.left, job.state.perSecond]);
		nowMs += seen.length < 10 ? 100 : 50;
	});
	// Each batch contains 999 rows with errors, and one row to send.
	const batch = ["a,1,", ...times(999, "a,x,")];
	const job = createJob({ file: await fileOf(times(55, batch.join("\n"))), total: 55 });
	job.run(sender);
	await until("the end of the job", () => job.state.phase === "finished");
	assert.deepEqual(
		[seen[0], seen[1], seen[6], seen[9], seen[54]],
		[
			[55, 0],
			[54, 0],
			[49, 10],
			[46, 10],
			[1, 20],
		],
	);
	const { added, left, perSecond } = job.state;
	assert.deepEqual([added, left, perSecond], [55, 0, 0]);
});

test("a job that failed, and was paused during a batch, goes on where it was, and adds again only what was there", async (context) => {
	let nowMs = 0;
	context.mock.method(performance, "now", () => nowMs);
	const gate = Promise.withResolvers<void>();
	const reply = (...results: object[]) => Response.json({ results });
	const replies: (() => Response | Promise<Response>)[] = [
		() => reply({ outcome: "added", id: 1 }),
		() => new Response("{}", { status: 401 }),
		() => gate.promise.then(() => reply({ outcome: "present", id: 2, atMs: 5, by: "Ann" })),
		() => reply({ outcome: "present", id: 3, atMs: 9 }),
		() => reply({ outcome: "added", id: 4 }, { outcome: "added", id: 5 }),
	];
	const sent: string[] = [];
	const sender = (key: string): Sender => ({
		url: "http://127.0.0.1",
		key,
		async fetch(_, { body } = {}) {
			const { rows } = JSON.parse(String(body)) as { rows: { key: string; name: string }[] };
			sent.push(`${key} ${rows.map(({ key, name }) => `${name}${/-\d+(-2)?$/.exec(key)?.[0]}`)}`);
			return (replies.shift() as (typeof replies)[0])();
		},
	});
	const faulty = times(999, "a,x,");
	const job = createJob({ file: await fileOf(["a,1,", ...faulty, "b,1,", ...faulty, "c,1,", ...faulty]), total: 3 });
	const speeds = new Map<number, number>();
	job.watchers.add(() => void speeds.set(job.state.alreadyThere, job.state.perSecond));
	job.run(sender("one"));
	await until("the refusal", () => job.state.failure !== undefined);
	assert.deepEqual([job.state.phase, job.state.added, job.state.left], ["paused", 1, 2]);
	nowMs += 1000;
	job.run(sender("two"));
	assert.deepEqual([job.state.phase, job.state.failure], ["running", undefined]);
	await until("the second batch", () => sent.length === 3);
	job.pause();
	assert.equal(job.state.phase, "paused");
	job.run(sender("three"));
	await new Promise(setImmediate);
	assert.equal(sent.length, 3, "the batch under way is not sent twice");
	gate.resolve();
	await until("the end of the job", () => job.state.phase === "finished");
	const { added, alreadyThere, earlier, rejected, shown, left } = job.state;
	assert.deepEqual([added, alreadyThere, rejected, shown.length, left], [1, 2, 2997, 200, 0]);
	assert.match(earlier ?? "", /^this file was imported yesterday at .* by Ann$/);
	assert.equal(
		job
			.rejectedText()
			.join("")
			.match(/line,reason/g)?.length,
		1,
	);
	assert.equal(speeds.get(1), 0, "the rows before a pause do not count");
	const again = job.again();
	assert.equal(again.total, 2);
	again.run(sender("four"));
	await until("the end of the second job", () => again.state.phase === "finished");
	assert.deepEqual([again.state.added, again.state.left], [2, 0]);
	assert.deepEqual(sent, ["one a-2", "one b-1002", "two b-1002", "three c-2002", "four b-1002-2,c-2002-2"]);
});

test("the first 200 rejected rows are shown, and all of them are kept as text; so in the check before", async () => {
	const file = await fileOf(["a,1,red", ...times(201, "a,4-,red")]);
	const job = createJob({ file, total: 1 });
	job.run(serviceWith());
	await until("the end of the job", () => job.state.phase === "finished");
	const { added, rejected, shown } = job.state;
	assert.deepEqual([added, rejected, shown.length, job.rejectedText().length], [1, 201, 200, 201]);
	const checks: Checked[] = [];
	await checkRows(file, new AbortController().signal, (checked) => void checks.push(checked));
	const last = checks.at(-1);
	const nothing = {
		values: [],
		other: undefined,
		otherCount: 0,
		damaged: [],
		damagedCount: 0,
		earlier: new Set(),
		isComplete: true,
	};
	const open = { nameless: 0, repeats: undefined };
	assert.deepEqual(
		{ ...last, shown: last?.shown.length, first: last?.first.length },
		{ ...nothing, open, good: 1, bad: 201, first: 1, shown: 200, unused: ["colour"] },
	);
	await checkRows(file, AbortSignal.abort(), () => assert.fail("the view is gone"));
});

test("a job that was paused for a day sends no row again that may be stored, and says so", async (context) => {
	context.mock.timers.enable({ apis: ["Date"], now: Date.now() });
	const job = createJob({ file: await fileOf(["a,1,red", "b,1,red"]), total: 2 });
	let sent = 0;
	const lost: typeof fetch = async () => {
		sent++;
		throw new TypeError("the reply is lost");
	};
	const sender = { url: "http://127.0.0.1", key: "key", fetch: lost };
	job.run(sender);
	await until("a request", () => sent > 0);
	job.pause();
	context.mock.timers.tick(24 * 3_600_000);
	const before = sent;
	job.run(sender);
	await until("the job to pause", () => job.state.phase === "paused");
	assert.match(String(job.state.failure), /some rows could be added twice/);
	assert.equal(sent, before);
	assert.deepEqual([job.state.added, job.state.rejected, job.state.left], [0, 0, 2]);
});

test("a field of categories completes names, takes any number, and offers a new name that no category has", () => {
	const all = [
		{ id: 4n, name: "Dog", animals: 9 },
		{ id: 12n, name: "Prairie dog", animals: 1 },
		{ id: 7n, name: "Zoë’s", animals: 0 },
		{ id: 41n, animals: 2 },
	];
	const offered = (text: string, mayName = true) =>
		categoryChoices(all, text, mayName).map(({ id, name }) => [id, name].filter(Boolean).join(" "));
	assert.deepEqual(offered(" "), ["4 Dog", "12 Prairie dog", "7 Zoë’s", "41"]);
	assert.deepEqual(offered("DOG"), ["4 Dog", "12 Prairie dog"]);
	assert.deepEqual(offered("do"), ["4 Dog", "12 Prairie dog", "do"]);
	assert.deepEqual(offered("do", false), ["4 Dog", "12 Prairie dog"]);
	assert.deepEqual(offered("zoe"), ["7 Zoë’s", "zoe"]);
	assert.deepEqual(offered("Zoe’s"), ["7 Zoë’s", "Zoe’s"], "an accent makes another name");
	assert.deepEqual(offered("4"), ["4 Dog", "41"]);
	assert.deepEqual(offered("9223372036854775807"), ["9223372036854775807"]);
	assert.deepEqual(
		["dog", "007", " ZOË’s", "zoe’s", "prairie", ""].map((text) => categoryIdOf(all, text)),
		["4", "7", "7", undefined, undefined, undefined],
	);
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
	assert.equal(pauseAfter(refusal(503, "overloaded", { "retry-after": "2592000" }), 0), 3_600_000, "at most an hour");
	assert.equal(pauseAfter(refusal(500, "internal_error"), 0), 2000);
	assert.equal(pauseAfter(refusal(404, "unexpected_reply"), 0), 2000);
	assert.equal(pauseAfter(refusal(404, "pet_not_found"), 0), undefined);
	assert.equal(pauseAfter(new Error("a bug"), 0), undefined);
});
