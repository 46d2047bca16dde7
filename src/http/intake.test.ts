// The count of unsent bytes that all connections share, and requests while many clients connect.

import assert from "node:assert/strict";
import { EventEmitter } from "node:events";
import type { IncomingMessage } from "node:http";
import { test } from "node:test";
import { type Connection, Intake } from "./intake.ts";
import { createTurns } from "./turns.ts";

test("what a connection had not sent when it closed does not count for the others any more", () => {
	const connection = Object.assign(new EventEmitter(), { destroyed: false });
	for (const event of ["data", "end"]) connection.on(event, () => {});
	const shared = {
		turns: createTurns(),
		unsent: 0,
		unsentMax: Infinity,
		refuse: () => assert.fail("nothing is refused"),
	};
	const intake = new Intake(connection as unknown as Connection, shared);
	const request = { method: "GET" } as IncomingMessage;
	intake.noteReply(request, 1000);
	intake.noteReply(request, 500);
	assert.equal(shared.unsent, 1500);
	intake.noteEnd(1000);
	assert.equal(shared.unsent, 500);
	connection.destroyed = true;
	connection.emit("close");
	assert.equal(shared.unsent, 0);
	intake.noteEnd(500);
	assert.equal(shared.unsent, 0, "its replies end after it");
});

test("while many clients connect, a request waits for a later turn, and its socket is not read meanwhile", () => {
	let nowMs = 0;
	const closes: (() => void)[] = [];
	const turns = createTurns(
		() => nowMs,
		(close) => closes.push(close),
	);
	const steps: string[] = [];
	const connection = Object.assign(new EventEmitter(), {
		writable: true,
		pause: () => steps.push("pause"),
		resume: () => steps.push("resume"),
	});
	connection.on("data", () => steps.push("parse")).on("end", () => {});
	new Intake(connection as unknown as Connection, {
		turns,
		unsent: 0,
		unsentMax: Infinity,
		refuse: () => assert.fail("not refused"),
	});
	turns.noteConnection();
	nowMs = 1;
	connection.emit("data", Buffer.from("GET / HTTP/1.1\r\n\r\n"));
	assert.deepEqual(steps, ["pause"]);
	closes.shift()?.();
	assert.deepEqual(steps, ["pause", "resume", "parse"]);
});
