// Checks in a trace of system calls that the WAL is synced between each animal's write and the reply to its create.
// Killing the process would prove nothing about the disk, because the kernel's cache keeps the written data.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
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

/** The command that traces the writes, syncs and replies of the service. */
function tracing(file: string): string[] {
	return ["strace", "-D", "-f", "-y", "-s", "5000", "-e", "trace=pwrite64,write,writev,fsync,fdatasync", "-o", file];
}

/** Creates animals over several connections, stops the service, and reads the trace. */
async function proveSyncs(service: Running, key: string, trace: string) {
	const agent = new Agent({ keepAlive: true });
	const names: string[] = [];
	await Promise.all(
		Array.from({ length: 8 }, async (_, client) => {
			for (let round = 0; round < 50; round++) {
				const name = `traced-${client}-${round}-end`;
				const answer = await post(service.url, key, agent, {
					pet: { name, categoryId: 1n },
					idempotencyKey: undefined,
				});
				assert.equal(answer.status, 201);
				names.push(name);
			}
		}),
	);
	agent.destroy();
	await service.stop();
	return readTrace(readFileSync(trace, "latin1").split("\n"), names);
}

function readTrace(lines: string[], names: string[]) {
	const written = new Map<string, number>();
	const replied = new Map<string, number>();
	const syncsDone: number[] = [];
	const syncing = new Set<string>();
	for (const [index, line] of lines.entries()) {
		const [, thread = "", call = ""] = /^(\d+) +(.*)$/.exec(line) ?? [];
		const isSync = /^(fsync|fdatasync)\(\d+<[^>]*-wal>/.test(call);
		if (isSync && call.includes("<unfinished")) syncing.add(thread);
		else if (isSync && / = 0$/.test(call)) syncsDone.push(index);
		else if (/^<\.\.\. (fsync|fdatasync) resumed>/.test(call) && syncing.delete(thread) && / = 0$/.test(call))
			syncsDone.push(index);
		else if (/^pwrite64\(\d+<[^>]*-wal>/.test(call)) note(written, call, index);
		else if (/^writev?\(\d+<(socket|TCP)/.test(call) && call.includes("201 Created")) note(replied, call, index);
	}
	function note(places: Map<string, number>, call: string, index: number): void {
		for (const [name] of call.matchAll(/traced-\d+-\d+-end/g)) if (!places.has(name)) places.set(name, index);
	}
	for (const name of names) {
		const [wroteAt, repliedAt] = [written.get(name), replied.get(name)];
		assert.ok(wroteAt !== undefined, `no write of ${name} was traced`);
		assert.ok(repliedAt !== undefined, `no reply with ${name} was traced`);
		assert.ok(
			syncsDone.some((done) => done > wroteAt && done < repliedAt),
			`no sync between write and reply of ${name}`,
		);
	}
	return { replies: names.length, syncs: syncsDone.length };
}
