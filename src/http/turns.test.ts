// How connections share the event loop: in order, one piece each, and never for long.

import assert from "node:assert/strict";
import { test } from "node:test";
import { createTurns, type Line } from "./turns.ts";

/** Turns on a clock of their own; each piece takes `costMs`. */
function stand({ costMs = 1 } = {}) {
	let nowMs = 0;
	let nexts: (() => void)[] = [];
	let done = "";
	const turns = createTurns(
		() => nowMs,
		(run) => nexts.push(run),
	);
	/** Adds a line of so many pieces, or these. */
	function enter(name: string, count: number): void {
		let left = count;
		const line: Line = {
			next() {
				done += name;
				nowMs += costMs;
				return --left > 0;
			},
		};
		turns.enter(line);
		turns.enter(line);
	}
	/** @returns what one turn of the event loop handled */
	function turn(): string {
		done = "";
		const runs = nexts;
		nexts = [];
		for (const run of runs) run();
		return done;
	}
	const wait = (ms: number) => {
		nowMs += ms;
	};
	return { turns, enter, turn, wait };
}

test("a turn has room for 5 ms, and the next one again", () => {
	const { turns, turn, wait } = stand();
	assert.ok(turns.hasRoom());
	wait(4.9);
	assert.ok(turns.hasRoom());
	wait(0.1);
	assert.ok(!turns.hasRoom());
	turn();
	assert.ok(turns.hasRoom());
});

test("a turn has room for as many requests as cost 10 ms with their replies", () => {
	const { turns, turn, wait } = stand();
	const handle = (count: number) => {
		turns.hasRoom();
		turns.count(count);
		return turns.hasRoom();
	};
	assert.deepEqual([handle(999), handle(1)], [true, false], "before anything is known, a request costs 10 µs");
	for (let count = 0; count < 20; count++) {
		turn();
		turns.hasRoom();
		turns.count(10);
		wait(10);
	}
	turn();
	assert.deepEqual([handle(9), handle(2)], [true, false], "a request costs 1 ms");
});

test("a turn takes one piece of each line after another, and goes on there in the next turn", () => {
	const { enter, turn } = stand();
	enter("a", 9);
	enter("b", 3);
	enter("c", 1);
	assert.deepEqual([turn(), turn(), turn(), turn()], ["abcab", "abaaa", "aaa", ""]);
});

test("what enters later waits for one round", () => {
	const { enter, turn } = stand();
	enter("a", 20);
	enter("b", 20);
	assert.equal(turn(), "ababa");
	enter("c", 2);
	assert.equal(turn(), "bacba");
	assert.equal(turn(), "cbaba");
});

test("nothing that waits is taken in a turn whose time was used for what arrived", () => {
	const { turns, enter, turn, wait } = stand();
	turns.hasRoom();
	enter("a", 1);
	wait(5);
	assert.equal(turn(), "a");
	assert.ok(turns.hasRoom());
	enter("b", 1);
	wait(5);
	assert.ok(!turns.hasRoom());
	assert.equal(turn(), "b");
});

test("a piece has as many requests that a round of all lines costs 20 ms", () => {
	const { turns, enter, turn } = stand();
	assert.equal(turns.share(), 2000);
	for (let count = 0; count < 199; count++) enter("a", 1);
	assert.equal(turns.share(), 10);
	while (turn() !== "");
	assert.equal(turns.share(), 2000);
});

test("the wait for a turn is known, as the mean since the last look", () => {
	const { turns, enter, turn } = stand({ costMs: 10 });
	assert.equal(turns.readWaitMs(), 0);
	enter("a", 2);
	enter("b", 1);
	for (let count = 0; count < 3; count++) turn();
	assert.equal(turns.readWaitMs(), 20 / 3, "0 and 10 of a, 10 of b");
	assert.equal(turns.readWaitMs(), 0);
});

test("while clients connect, a turn has room for 1 ms, because the next one accepts another client", () => {
	const { turns, turn, wait } = stand();
	turns.noteConnection();
	assert.ok(!turns.isCrowded());
	wait(1);
	assert.ok(turns.isCrowded());
	turn();
	turns.hasRoom();
	wait(1);
	assert.ok(turns.isCrowded(), "also in the turn after a connection");
	turn();
	turns.hasRoom();
	wait(1);
	assert.ok(!turns.isCrowded());
	assert.ok(turns.hasRoom());
	wait(4);
	assert.ok(!turns.hasRoom());
	assert.ok(!turns.isCrowded(), "requests are handled at once when nobody connects");
});
