// Tests what follows a failure: the edits after a failed request, and the second request for an animal of the form.

import assert from "node:assert/strict";
import { test } from "node:test";
import { ApiError, NoReply } from "../../../client/src/index.ts";
import { type EditResult, editsMax } from "../../../src/contract/console.ts";
import type { Pet } from "../../../src/contract/pet.ts";
import { type Adding, emptyForm } from "../add/add-form.ts";
import { add } from "../add/adding.ts";
import type { Asking } from "../session/asking.ts";
import type { Edit } from "./edits.ts";
import { sendEdits } from "./send-edits.ts";

const rex: Pet = { id: 1n, name: "Rex", categoryId: 4n, status: "available" };
const sold = (count: number): Edit[] =>
	Array.from({ length: count }, (_, at) => ({
		pet: { ...rex, id: BigInt(at + 1) },
		change: { action: "set-status", status: "sold" },
	}));
const done = ({ pet }: Edit): EditResult => ({ outcome: "edited", pet: { ...pet, status: "sold" } });
const refused = (status: number, code: ApiError["code"]) => new ApiError("no", new Response(null, { status }), code);

/** A session whose requests get these answers, one after the other. */
function sessionWith(answers: (unknown[] | Error)[]) {
	const bodies: string[] = [];
	const ask = async (_: string, { body = "" }) => {
		bodies.push(body);
		const answer = answers.shift();
		if (answer instanceof Error) throw answer;
		return { results: answer };
	};
	return {
		session: { ask } as Asking,
		sizes: () => bodies.map((body) => body.split('"seen"').length - 1),
		bodies,
	};
}

test("after a request that was answered in part or not at all, no later edit is sent, and what was done can be undone", async () => {
	const edits = sold(2 * editsMax + 5);
	const results = edits.map(done);
	const rest = edits.slice(editsMax, editsMax + 20).map(done);
	rest[1] = { ...(rest[1] as EditResult), outcome: "unchanged" };
	const conflict: EditResult = { outcome: "conflict", pet: { ...rex, name: "Max" }, by: "Ann" };
	for (const [second, settled, text] of [
		[results.slice(editsMax, 2 * editsMax), 105, "105 animals are sold"],
		[rest, 70, "70 animals are sold. 35 animals may not have been changed: check, and try again."],
		[[], 50, "50 animals are sold. 55 animals may not have been changed: check, and try again."],
		[refused(400, "invalid_body"), 50, "50 animals are sold. No. 55 animals were not changed: try again later."],
		[
			new NoReply("late"),
			50,
			"50 animals are sold. The server does not answer. 55 animals may not have been changed: check, and try again.",
		],
		[
			[conflict, ...rest.slice(1)],
			70,
			"69 animals are sold. Ann was first and has renamed Rex to Max. Your change was not made. 35 animals may not have been changed: check, and try again.",
		],
	] as const) {
		const last = results.slice(2 * editsMax);
		const { session, sizes } = sessionWith([results.slice(0, editsMax), second as unknown[], last]);
		const sent = await sendEdits(session, edits, String);
		assert.deepEqual([sent.results.length, sent.notice.text], [settled, text]);
		assert.deepEqual(sizes(), settled === 105 ? [editsMax, editsMax, 5] : [editsMax, editsMax]);
		assert.equal(sent.notice.isProblem, settled < 105);
		const isUndone = ({ outcome }: EditResult) => outcome === "edited";
		assert.equal(sent.notice.undo.length, sent.results.filter(isUndone).length);
		assert.deepEqual(sent.notice.undo[0], {
			pet: { ...rex, status: "sold" },
			change: { action: "set-status", status: "available" },
		});
	}
});

test("many edits wait for the rate of the key, a few are refused at once, and a sign-out ends them", async (context) => {
	context.mock.timers.enable({ apis: ["setTimeout"] });
	const limited = () => refused(429, "rate_limited");
	const edits = sold(editsMax + 5);
	const results = edits.map(done);
	const { session, sizes } = sessionWith([limited(), results.slice(0, editsMax), limited(), results.slice(editsMax)]);
	let isSent = false;
	const reported: number[] = [];
	const report = (settled: number) => void reported.push(settled);
	const sending = sendEdits(session, edits, String, () => false, report).finally(() => {
		isSent = true;
	});
	for (let seconds = 0; !isSent && seconds < 60; seconds++) {
		await new Promise(setImmediate);
		context.mock.timers.tick(1000);
	}
	assert.equal((await sending).notice.text, "55 animals are sold");
	assert.deepEqual(sizes(), [editsMax, editsMax, 5, 5]);
	assert.deepEqual(new Set(reported), new Set([editsMax]));
	const few = await sendEdits(sessionWith([limited()]).session, sold(2), String);
	assert.equal(few.notice.text, "Too many requests with this key. 2 animals were not changed: try again later.");
	const left = sessionWith([results.slice(0, editsMax), results.slice(editsMax)]);
	await sendEdits(left.session, edits, String, () => left.sizes().length > 0);
	assert.deepEqual(left.sizes(), [editsMax]);
});

test("what others did instead is said in one sentence, and a long name is shortened", async () => {
	const other: Pet = { id: 1n, name: "Max", categoryId: 7n };
	const rename = { action: "rename", name: "犬".repeat(33) } as const;
	for (const [result, text] of [
		[{ outcome: "removed", by: "Ann" }, "Ann has removed Rex."],
		[{ outcome: "absent" }, "Rex no longer exists."],
		[
			{ outcome: "conflict", pet: other },
			"Somebody else was first and has renamed Rex to Max, marked it as not set, and moved it to category 7. Your change was not made.",
		],
		[{ outcome: "edited", pet: { ...rex, name: rename.name } }, `Renamed to ${"犬".repeat(31)}…`],
	] as const) {
		const { notice } = await sendEdits(sessionWith([[result]]).session, [{ pet: rex, change: rename }], String);
		const undo = result.outcome === "edited" ? [{ pet: result.pet, change: { action: "rename", name: "Rex" } }] : [];
		const about = result.outcome === "conflict" ? other : undefined;
		assert.deepEqual(notice, { text, isProblem: result.outcome !== "edited", undo, about });
	}
});

test("an animal whose reply was lost keeps its key until it is answered, even after refusals; another one has its own", async () => {
	const added = [{ outcome: "added", id: 7 }];
	const steps: [name: string, answer: unknown[] | Error, keyOf: number, wasOpen: boolean, isOpen: boolean][] = [
		["Rex", new NoReply("lost"), 0, false, true],
		["Rex", refused(401, "invalid_credential"), 0, true, true],
		["Rex", refused(429, "rate_limited"), 0, true, true],
		["Mia", refused(429, "rate_limited"), 3, false, false],
		["Mia", refused(503, "storage_unavailable"), 4, false, true],
		["Mia", added, 4, true, false],
		["Mia", added, 6, false, false],
	];
	const { session, bodies } = sessionWith(steps.map(([, answer]) => answer));
	let shown: Adding = emptyForm;
	const keys: (string | undefined)[] = [];
	for (const [index, [name, answer, keyOf, wasOpen, isOpen]] of steps.entries()) {
		const adding = { ...shown, entries: { ...emptyForm.entries, name, categoryId: "4" } };
		await add(session, adding, [], (next) => {
			if (next.isPending) assert.equal(next.unsettled !== undefined, wasOpen, `step ${index}`);
			shown = next;
		});
		keys.push(/"key":"(.*?)"/.exec(bodies.at(-1) ?? "")?.[1]);
		assert.equal(keys.indexOf(keys[index]), keyOf, `step ${index}: the key of step ${keyOf}`);
		const isOut = index === 1; // After 401, the user signs in again.
		const failure = answer === added || isOut ? undefined : answer;
		assert.deepEqual([shown.isPending, shown.unsettled !== undefined, shown.failure], [false, isOpen, failure]);
	}
	assert.deepEqual(shown, { ...emptyForm, added: { id: 7n, name: "Mia", categoryId: 4n } });
	await add(session, { ...shown, entries: { ...emptyForm.entries, categoryId: " Dog " } }, [], (next) => {
		const problems = next.faults.map(({ problem }) => problem);
		assert.deepEqual([problems, next.added], [["Enter a name", "No category has the name “Dog”"], undefined]);
	});
});
