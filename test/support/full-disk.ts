// The proof of a full disk: creates are refused until there is space, reads continue, and nothing is lost or restarted.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { Agent } from "node:http";
import { join } from "node:path";
import { attempt, idOf, post } from "./create.ts";
import { Ledger, listAll } from "./ledger.ts";
import type { Running } from "./program.ts";
import type { Trial } from "./proof.ts";

/** Mounts a tmpfs, which needs root. @param size such as `2m` */
export function smallDisk({ folder, after }: Trial, name: string, size: string) {
	const place = join(folder, name);
	mkdirSync(place);
	execFileSync("mount", ["-t", "tmpfs", "-o", `size=${size}`, "none", place]);
	after(() => execFileSync("umount", ["-l", place]));
	const makeRoom = () => void execFileSync("mount", ["-o", "remount,size=64m", place]);
	return { place, makeRoom };
}

export interface FullDisk {
	service: Running;
	key: string;
	makeRoom(): void;
}

/** @returns the ledger, which can be compared with the store after the service has stopped */
export async function proveFullDisk(disk: FullDisk): Promise<Ledger> {
	const agent = new Agent({ keepAlive: true });
	try {
		return await fillAndFree(disk, agent);
	} finally {
		agent.destroy();
	}
}

async function fillAndFree({ service, key, makeRoom }: FullDisk, agent: Agent): Promise<Ledger> {
	const ledger = new Ledger();
	const send = async (number: number): Promise<void> => {
		const answer = await post(service.url, key, agent, attempt(number));
		if (answer.status === 201) return ledger.acknowledge(attempt(number), idOf(answer));
		assert.equal(answer.status, 503, answer.body);
		assert.match(answer.body, /"code":"storage_unavailable"/);
		assert.match(answer.headers["retry-after"] ?? "", /^\d+$/);
		assert.doesNotMatch(answer.body, /SQLITE|disk|\.db/i, "no internals");
		ledger.refuse(attempt(number));
	};
	let number = 0;
	while (ledger.refused.size < 20) {
		assert.ok(number < 200_000, "the disk was never full");
		await Promise.all([0, 1, 2, 3].map(() => send(number++)));
	}
	ledger.verify(await listAll(service.url, key));
	assert.equal((await fetch(`${service.url}/readyz`)).status, 200, "reads continue");
	makeRoom();
	const refusals = ledger.refused.size;
	for (let more = 0; more < 100; more++) await send(number++);
	assert.equal(ledger.refused.size, refusals, "there is space again");
	ledger.verify(await listAll(service.url, key));
	return ledger;
}
