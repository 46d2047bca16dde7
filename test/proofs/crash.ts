// Clients create animals while the service is killed (SIGKILL) at random moments and restarted; after every restart the
// store is compared with a ledger of the creates. `npm test` runs a few kills.

import assert from "node:assert/strict";
import { Agent } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { petStatuses } from "../../src/contract/pet.ts";
import { record } from "../support/create.ts";
import { type Attempt, Ledger, listAll } from "../support/ledger.ts";
import { type Running, startProgram } from "../support/program.ts";
import { newDatabase, newStore, type Proof, type TrialStore } from "../support/proof.ts";
import { seededRandom } from "../support/random.ts";
import { until, within } from "../support/until.ts";

export const proof: Proof = {
	shows: "an acknowledged animal survives every SIGKILL of the service, on both engines",
	options: { kills: { default: "300", text: "number of kills, for each engine" } },
	async prove(trial) {
		const prove = ({ environment, key }: TrialStore) => {
			const start = () => startProgram(trial, environment);
			const kills = Number(trial.option("kills"));
			return proveCrashes({ kills, seed: trial.seed, key, start, onProgress: trial.say });
		};
		const sqlite = await prove(await newStore("crash", trial.folder));
		return { seed: trial.seed, sqlite, postgres: await prove(await newDatabase(trial)) };
	},
};

interface Crashes {
	kills: number;
	seed: number;
	/** Starts the service on the store. */
	start(): Promise<Running>;
	key: string;
	onProgress?(line: string): void;
}

/** The lowest average of acknowledged creates per kill, even on a busy machine. */
const acknowledgedEachKill = 60;

/** @returns the figures @throws AssertionError if a promise is broken */
export async function proveCrashes({ kills, seed, start, key, onProgress }: Crashes) {
	const random = seededRandom(seed);
	const ledger = new Ledger();
	let next = 0;
	let replayed = 0;

	function newAttempt(): Attempt {
		const number = next++;
		const status = petStatuses[Math.floor(random() * 4)];
		const categoryId = BigInt(Math.floor(random() * 2 ** 32)) * 2147483648n - 2n ** 62n;
		return {
			pet: { name: `animal ${seed} ${number} 🐾`, categoryId, ...(status && { status }) },
			idempotencyKey: random() < 0.5 ? `key-${seed}-${number}` : undefined,
		};
	}

	/** Creates until the connection breaks. The outcome of the last create is unknown, unless a retry settles it. */
	async function client(url: string, agent: Agent, retries: Attempt[]): Promise<void> {
		for (;;) {
			const attempt = retries.pop() ?? newAttempt();
			const reply = await record(ledger, url, key, agent, attempt);
			if (!reply) return;
			assert.ok([201, 503].includes(reply.status), `${reply.status} ${reply.body}`);
			if ("idempotency-replayed" in reply.headers) replayed++;
		}
	}

	for (let kill = 0; kill <= kills; kill++) {
		const service = await start();
		ledger.verify(await listAll(service.url, key));
		if (kill === kills) {
			await service.stop("SIGKILL");
			break;
		}
		const agent = new Agent({ keepAlive: true });
		const retries = [...ledger.unknown.values()].filter(({ idempotencyKey }) => idempotencyKey !== undefined);
		const work = Array.from({ length: 16 }, () => client(service.url, agent, retries));
		const working = Promise.all(work);
		await Promise.race([working, sleep(20 + random() * 380)]);
		assert.equal(service.process.exitCode, null, "the service ended by itself");
		const enough = (kill + 1) * acknowledgedEachKill;
		await Promise.race([working, until(`${enough} creates`, () => ledger.acknowledged.size >= enough)]);
		service.process.kill("SIGKILL");
		await within("every client to notice the kill", Promise.all([working, service.finished]));
		agent.destroy();
		if (kill % 10 === 9)
			onProgress?.(
				`${kill + 1} of ${kills} kills, ${ledger.acknowledged.size} animals acknowledged, ${ledger.unknown.size} unknown`,
			);
	}
	const { acknowledged, unknown } = ledger;
	const unknownKept = [...unknown.values()].filter(({ id }) => id !== undefined).length;
	return { seed, kills, acknowledged: acknowledged.size, unknown: unknown.size, unknownKept, replayed };
}
