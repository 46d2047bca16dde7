// Checks in a trace of system calls that the WAL is synced between each animal's write and the reply to its create.
// Killing the process would prove nothing about the disk, because the kernel's cache keeps the written data.

import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { Agent } from "node:http";
import { join } from "node:path";
import { post } from "../support/create.ts";
import { type Running, startProgram } from "../support/program.ts";
import { linux, newStore, type Proof, program } from "../support/proof.ts";

export const proof: Proof = {
	shows: "the WAL is synced between each animal's write and its reply, in the trace of system calls",
	needs: [linux, program("strace")],
	async prove(trial) {
		const { environment, key } = await newStore("calls", trial.folder);
		const trace = join(trial.folder, "trace");
		const service = await startProgram(trial, environment, { under: tracing(trace) });
		return proveSyncs(service, key, trace);
	},
};

/** The command that traces the writes, syncs and replies of the service, in a file for each thread. */
const tracing = (file: string) =>
	`strace -D -ff -y -ttt -T -s 5000 -e trace=pwrite64,write,writev,fsync,fdatasync -o ${file}`.split(" ");

/** Creates animals over several connections, stops the service, and reads the trace. */
async function proveSyncs(service: Running, key: string, trace: string) {
	const agent = new Agent({ keepAlive: true });
	const names: string[] = [];
	const client = async (_: unknown, place: number) => {
		for (let round = 0; round < 50; round++) {
			const name = `traced-${place}-${round}-end`;
			const mine = { pet: { name, categoryId: 1n }, idempotencyKey: undefined };
			assert.equal((await post(service.url, key, agent, mine)).status, 201);
			names.push(name);
		}
	};
	await Promise.all(Array.from({ length: 8 }, client));
	agent.destroy();
	await service.stop();
	return readTrace(globSync(`${trace}.*`), names);
}

function readTrace(files: string[], names: string[]) {
	const written = new Map<string, number>();
	const replied = new Map<string, number>();
	const syncs: { startedAt: number; endedAt: number }[] = [];
	for (const line of files.flatMap((file) => readFileSync(file, "latin1").split("\n"))) {
		const [, started, call = "", took] = /^([\d.]+) (.*) <([\d.]+)>$/.exec(line) ?? [];
		const startedAt = Number(started);
		const isWrite = /^pwrite64\(\d+<[^>]*-wal>/.test(call);
		const isReply = /^writev?\(\d+<(socket|TCP)/.test(call) && call.includes("201 Created");
		if (/^(fsync|fdatasync)\(\d+<[^>]*-wal>.* = 0$/.test(call))
			syncs.push({ startedAt, endedAt: startedAt + Number(took) });
		for (const [name] of isWrite || isReply ? call.matchAll(/traced-\d+-\d+-end/g) : []) {
			const places = isWrite ? written : replied;
			places.set(name, Math.min(startedAt, places.get(name) ?? Infinity));
		}
	}
	for (const name of names) {
		const [wroteAt = Infinity, repliedAt = 0] = [written.get(name), replied.get(name)];
		const sync = syncs.find(({ startedAt, endedAt }) => startedAt > wroteAt && endedAt < repliedAt);
		assert.ok(sync, `no sync between write and reply of ${name}`);
	}
	return { replies: names.length, syncs: syncs.length };
}
