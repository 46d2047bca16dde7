// Tests the queue of a session's edits: what each undo undoes, even while an edit is under way; which messages stay.

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Pet } from "../../../src/contract/pet.ts";
import { createEditQueue, createSeenNames } from "./edit-queue.ts";
import type { Edit, Sent } from "./edits.ts";

const rex: Pet = { id: 1n, name: "Rex", categoryId: 4n, status: "available" };
const mia: Pet = { id: 2n, name: "Mia", categoryId: 4n, status: "available" };
const mark = (pet: Pet, status: Pet["status"]): Edit => ({ pet, change: { action: "set-status", status } });

/** A queue whose requests wait for `answer`, and the edits of each request. */
function slowQueue() {
	const sent: string[] = [];
	const waiting: ((sent: Sent) => void)[] = [];
	const queue = createEditQueue(
		(edits, report) => {
			if (edits.length > 1) report(1);
			sent.push(edits.map(({ pet, change }) => `${pet.name} ${"status" in change ? change.status : ""}`).join());
			return new Promise((resolve) => waiting.push(resolve));
		},
		() => {},
	);
	/** Answers the request under way. */
	async function answer(edit: Edit, isDone = true): Promise<void> {
		await new Promise(setImmediate);
		const { pet, change } = edit;
		const now = { ...pet, ...("status" in change && { status: change.status }) };
		const undo = isDone ? [mark(now, pet.status)] : [];
		const text = isDone ? `${pet.name} ${now.status}` : `${pet.name} refused`;
		const results = isDone ? [{ outcome: "edited", pet: now } as const] : [];
		waiting.shift()?.({ results, notice: { text, isProblem: !isDone, undo, about: pet } });
		await new Promise(setImmediate);
	}
	const texts = () => queue.messages.map(({ text }) => text);
	return { queue, sent, answer, texts };
}

test("each undo undoes the step before, in any order of replies, and one under way once it is settled", async () => {
	const { queue, sent, answer } = slowQueue();
	for (const round of [1, 2]) {
		queue.apply([mark(rex, "sold")]);
		queue.apply([mark(mia, "pending")]);
		assert.deepEqual([queue.underWay, queue.isWaiting(1n), queue.isWaiting(2n)], [2, true, true]);
		await answer(mark(rex, "sold"));
		assert.deepEqual([queue.underWay, queue.isWaiting(1n), queue.isWaiting(2n)], [1, false, true], `round ${round}`);
		queue.undo();
		queue.undo();
		assert.deepEqual(queue.edited([rex, mia]), [rex, { ...mia, status: "pending" }], "the undo is shown at once");
		await answer(mark(mia, "pending"));
		assert.deepEqual(sent.splice(0), ["Rex sold", "Mia pending", "Mia available"], "after the edit that it undoes");
		await answer(mark({ ...mia, status: "pending" }, "available"));
		assert.deepEqual(sent.splice(0), ["Rex available"]);
		await answer(mark({ ...rex, status: "sold" }, "available"));
		assert.equal(queue.undoable, undefined);
		queue.undo();
		assert.deepEqual([sent, queue.underWay, queue.replies], [[], 0, 4 * round], "nothing is left to undo");
	}
});

test("a problem stays until it is closed or told again; an edit that was refused under an undo leaves nothing", async () => {
	const { queue, sent, answer, texts } = slowQueue();
	queue.apply([mark(rex, "sold")]);
	queue.undo();
	await answer(mark(rex, "sold"), false);
	assert.deepEqual([sent.splice(0), queue.underWay, queue.undoable], [["Rex sold"], 0, undefined]);
	assert.deepEqual(queue.edited([rex]), [rex]);
	queue.apply([mark(mia, "sold")]);
	await answer(mark(mia, "sold"));
	assert.deepEqual([texts(), queue.undoable], [["Rex refused", "Mia sold"], "Mia sold"]);
	queue.apply([mark(rex, "sold")]);
	await answer(mark(rex, "sold"), false);
	assert.deepEqual(texts(), ["Rex refused"], "once, and the message of success has made room");
	queue.undo();
	await answer(mark({ ...mia, status: "sold" }, "available"));
	assert.deepEqual(texts(), ["Rex refused", "Mia available"]);
	queue.undo(queue.messages[1]?.step);
	await answer(mark(mia, "sold"));
	assert.deepEqual([texts(), queue.undoable], [["Rex refused", "Mia sold"], "Mia sold"], "done again");
	queue.close(queue.messages[0]?.key ?? 0);
	assert.deepEqual(texts(), ["Mia sold"]);
});

test("an undo that was lost is tried again by the next one, and a step is not undone twice", async () => {
	const { queue, sent, answer } = slowQueue();
	queue.apply([mark(rex, "sold")]);
	await answer(mark(rex, "sold"));
	queue.apply([mark(mia, "pending")]);
	await answer(mark(mia, "pending"));
	for (const isDone of [false, true]) {
		queue.undo();
		await answer(mark({ ...mia, status: "pending" }, "available"), isDone);
		assert.equal(queue.undoable, isDone ? "Rex sold" : "Mia pending");
	}
	assert.deepEqual(sent.splice(0), ["Rex sold", "Mia pending", "Mia available", "Mia available"]);
	queue.apply([mark(mia, "sold")]);
	queue.undo();
	await answer(mark(mia, "sold"));
	assert.deepEqual(
		queue.messages.map(({ step }) => step),
		queue.messages.map(() => undefined),
		"its undo is under way",
	);
	queue.apply([mark(rex, "sold"), mark(mia, "sold")]);
	await answer(mark({ ...mia, status: "sold" }, "available"));
	assert.deepEqual(queue.progress, { settled: 1, all: 2 }, "of the second step");
	await answer(mark(rex, "sold"));
	assert.equal(queue.progress, undefined);
});

test("the names of the latest 10,000 animals are known, as they were last shown", () => {
	const names = createSeenNames();
	names.see([rex, mia]);
	names.see(Array.from({ length: 9_999 }, (_, at) => ({ ...mia, id: BigInt(at + 2), name: `${at}` })));
	assert.deepEqual([names.nameOf(1n), names.nameOf("2")], ["Rex", "0"]);
	names.see([
		{ ...rex, name: "Max" },
		{ ...mia, id: 20_000n },
	]);
	assert.deepEqual([names.nameOf(1n), names.nameOf(2n), names.nameOf(20_000n)], ["Max", undefined, "Mia"]);
});
