// The ledger finds animals and edits that a store has lost, repeated or invented.

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Pet } from "../../src/contract/pet.ts";
import { type Attempt, Ledger } from "../support/ledger.ts";

const pet = (number: number, name = `animal ${number}`) => ({ name, categoryId: BigInt(number) });
const listed = (number: number, name?: string): Pet => ({ id: BigInt(number), ...pet(number, name) });

/** Animals 1 to 3 are added. Animal 2 is renamed and 3 removed, both without a reply. Animal 4 may have been added. */
function unsettled(): Ledger {
	const ledger = new Ledger();
	for (const number of [1, 2, 3, 4]) ledger.create(pet(number));
	for (const number of [1, 2, 3]) ledger.change(BigInt(number), pet(number))();
	ledger.change(2n, pet(2, "renamed"));
	ledger.change(3n, undefined);
	return ledger;
}

const possible: Record<string, Pet[]> = {
	"nothing without a reply has happened": [listed(1), listed(2), listed(3)],
	"all of it has happened": [listed(1), listed(2, "renamed"), listed(4)],
};
const wrong: Record<string, [Pet[], RegExp]> = {
	"an animal is lost": [[listed(2)], /^1 was animal 1, .*, and is absent$/],
	"an animal is as it never was": [[listed(1), listed(2, "other")], /^2 was animal 2, .* or renamed, .*is other/],
	"an animal is there twice": [[listed(1), listed(2), { ...listed(4), id: 5n }, listed(4)], /4, .* was created twice$/],
	"an animal that nobody sent is there": [[listed(1), listed(2), listed(6)], /^nobody created animal 6/],
};

test("a ledger accepts any outcome of requests without a reply, and finds impossible outcomes", () => {
	for (const list of Object.values(possible)) unsettled().checkAll(list);
	for (const [list, message] of Object.values(wrong)) assert.throws(() => unsettled().checkAll(list), { message });
});

test("a backup in a long day has the animals of one moment between its start and its end", () => {
	const past = unsettled();
	const fromMs = performance.now();
	past.change(7n, pet(7), fromMs)();
	const madeMs = performance.now();
	past.change(1n, pet(1, "newer"))();
	past.change(8n, pet(8))();
	const before = [listed(1), listed(2), listed(3)];
	past.checkAll(before, fromMs, madeMs);
	past.checkAll([...before, listed(7)], fromMs, madeMs);
	assert.throws(() => past.checkAll(before), /was/);
	for (const wrong of [before.slice(1), [listed(1, "newer"), ...before.slice(1)], [...before, listed(8)]])
		assert.throws(() => past.checkAll(wrong, fromMs, madeMs), /AssertionError.* was .*, and is/);
});

test("a reply in a long day shows a state from between its request and itself", () => {
	const past = unsettled();
	const before = performance.now();
	past.change(1n, pet(1, "newer"))();
	past.check(1n, listed(1), before);
	assert.throws(
		() => past.check(1n, listed(1), performance.now()),
		/^AssertionError.*1 was newer, .*, and is animal 1/,
	);
});

test("a ledger of creates finds a foreign, a lost, a repeated and a renumbered animal", () => {
	const attemptOf = (number: number): Attempt => ({ pet: pet(number), idempotencyKey: undefined });
	const [stored, lost] = [attemptOf(1), attemptOf(2)];
	const ledger = new Ledger();
	ledger.lose(stored);
	ledger.lose(lost);
	ledger.acknowledge(stored, 1n);
	assert.throws(() => ledger.acknowledge({ ...stored, id: 1n }, 4n), /was 1 and is now 4/);
	ledger.verify([listed(1)]);
	for (const wrong of [[listed(1), listed(3)], [], [listed(1), { ...listed(1), id: 2n }], [listed(1, "other")]])
		assert.throws(() => ledger.verify(wrong), assert.AssertionError);
	assert.throws(() => ledger.verify([listed(2), listed(1)]), /id 1 follows 2/);
	ledger.verify([listed(1), listed(2)]);
	assert.equal(lost.id, 2n);
	assert.throws(() => ledger.verify([listed(1)]), /2 was animal 2/, "an animal that was listed before is missing");
});
