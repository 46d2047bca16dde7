// Measures the memory of a service whose queue of creates is full. Other programs that delay the service make it refuse
// nothing; more requests than half a core can answer do.

import assert from "node:assert/strict";
import { connect } from "node:net";
import Database from "better-sqlite3";
import { underWayMax } from "../../src/http/connection.ts";
import { lengthMax } from "../../src/store/group-commit.ts";
import { startProgram } from "../support/program.ts";
import { linux, newStore, type Proof, program, root, type Trial } from "../support/proof.ts";
import { figureOf } from "../support/scrape.ts";
import { until } from "../support/until.ts";
import { createHead } from "../support/wire.ts";
import { memory, proveFairness } from "./overload/fairness.ts";
import { proveShedding } from "./overload/shedding.ts";

export const proof: Proof = {
	shows:
		"with a full queue of creates, memory stays bounded; slow and greedy clients do not delay others; a service that was stopped for 2 s, " +
		"or gets a tenth of a core, refuses nothing as overloaded; with a quota of half a core it refuses the excess",
	needs: [linux, root, program("taskset", "util-linux"), program("wrk")],
	async prove(trial) {
		const full = await fillQueue(trial);
		assert.ok(full.fullMB < 600, JSON.stringify(full));
		return { ...full, ...(await proveFairness(trial)), ...(await proveShedding(trial)) };
	},
};

/** Fills the queue with creates of the largest name, while another program holds the store's lock. */
async function fillQueue(trial: Trial): Promise<{ waiting: number; restMB: number; fullMB: number }> {
	const { environment, key } = await newStore("full-queue", trial.folder);
	const service = await startProgram(trial, { ...environment, CREATE_WAIT_MAX: "10m" });
	const restMB = Math.round((await memory(service)) / 1e6);
	const holder = new Database(environment.DATABASE_URL.slice("sqlite:".length));
	trial.after(() => holder.close());
	holder.exec("BEGIN IMMEDIATE");
	const body = JSON.stringify({ name: "🐾".repeat(255), categoryId: 1 });
	const create = createHead(key, `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
	function connection(): void {
		const socket = connect(Number(new URL(service.url).port), "127.0.0.1");
		trial.after(() => socket.destroy());
		socket.on("error", () => {}).resume();
		socket.write(create.repeat(underWayMax));
	}
	const isFull = async () => {
		const count = await figureOf(service, "animal_store_writes_waiting");
		// A busy service refuses some creates, so the missing ones are sent again.
		for (let missing = lengthMax - count; missing > 0; missing -= underWayMax) connection();
		return count >= lengthMax && count;
	};
	const waiting = await until("a full queue", isFull, { everyMs: 2000 });
	return { waiting, restMB, fullMB: Math.round((await memory(service)) / 1e6) };
}
