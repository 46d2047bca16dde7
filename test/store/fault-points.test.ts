// Faults at named points of a create, on both engines: the reply, the stored animals, and the reply to a repeat with
// the Idempotency-Key after a restart.

import assert from "node:assert/strict";
import { existsSync, renameSync } from "node:fs";
import { Agent } from "node:http";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import Database from "better-sqlite3";
import { ask } from "../support/caller.ts";
import { attempt, post } from "../support/create.ts";
import { type Attempt, listAll } from "../support/ledger.ts";
import { databaseFor } from "../support/postgres.ts";
import { keyFor, type Running, startProgram } from "../support/program.ts";
import { figureOf } from "../support/scrape.ts";
import { temporaryFolder } from "../support/service.ts";
import { connect } from "../support/sql.ts";
import { cutting } from "../support/tcp-proxy.ts";
import { slowMs, until, within } from "../support/until.ts";

interface Engine {
	databaseUrl: string;
	/** Makes creates wait for their commit. @returns a function that ends the wait */
	hold(): Promise<() => Promise<unknown>>;
	/** Removes the store while the creates' transaction runs. @returns the replies that show the loss */
	lose(creates: () => Promise<Outcome[]>): Promise<Outcome[]>;
	/** Undoes the changes after the service has ended. */
	repair(): Promise<unknown>;
}

async function sqlite(context: TestContext): Promise<Engine> {
	const file = join(temporaryFolder(context), "animals.db");
	const databaseUrl = `sqlite:${file}`;
	/** @param timeout the longest wait for a lock, in milliseconds */
	const other = (sql: string, timeout = 5000) => new Database(file, { timeout }).exec(sql);
	const away = `${file}.away`;
	return {
		databaseUrl,
		async hold() {
			const holder = other("BEGIN IMMEDIATE");
			return async () => holder.close();
		},
		async lose(creates) {
			const slow =
				"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000000) SELECT max(i) FROM n";
			other(`CREATE TRIGGER slow AFTER INSERT ON pets BEGIN ${slow}; END`).close();
			const answers = creates();
			const isWriting = () => {
				try {
					other("BEGIN IMMEDIATE", 0).close();
					return false;
				} catch (error) {
					return (error as { code?: string }).code === "SQLITE_BUSY";
				}
			};
			await until("the transaction to run", isWriting, { everyMs: 1 });
			renameSync(file, away);
			return answers;
		},
		async repair() {
			if (existsSync(away)) renameSync(away, file);
			other("DROP TRIGGER IF EXISTS slow").close();
		},
	};
}

async function postgres(context: TestContext): Promise<Engine> {
	const { url: databaseUrl } = await databaseFor(context);
	const holder = await connect(context, databaseUrl);
	/** Adds a trigger that is deferred to the commit and waits for a lock there. */
	async function hold() {
		await holder.query(`CREATE FUNCTION wait() RETURNS trigger LANGUAGE plpgsql AS
			$$ BEGIN PERFORM pg_advisory_xact_lock(1); RETURN NULL; END $$;
			CREATE CONSTRAINT TRIGGER waits AFTER INSERT ON pets DEFERRABLE INITIALLY DEFERRED
			FOR EACH ROW EXECUTE FUNCTION wait();
			SELECT pg_advisory_lock(1)`);
		return () => holder.query("SELECT pg_advisory_unlock(1)");
	}
	return {
		databaseUrl,
		hold,
		async lose(creates) {
			const release = await hold();
			const answers = creates();
			const ended = `SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted`;
			await until("the commit to wait", async () => (await holder.query(ended)).rows.length > 0);
			await release();
			// The service may send the two creates in separate transactions, and repeat a create with a key.
			return (await answers).filter((outcome) => outcome !== 201);
		},
		repair: () => holder.query("SELECT pg_advisory_unlock_all(); DROP FUNCTION IF EXISTS wait() CASCADE"),
	};
}

/** The status of a reply, or undefined if no complete reply arrived. */
type Outcome = number | undefined;

interface Scene extends Engine {
	service: Running;
	/** Sends two creates at once, the second with an Idempotency-Key. */
	send(url?: string): Promise<Outcome[]>;
	/** Resolves when this many creates wait in the service. */
	waiting(creates: number): Promise<unknown>;
	/** Closes the clients' connections. */
	leave(): void;
	/** Sends the creates through a proxy that cuts each connection when the reply begins. */
	sendCut(): Promise<Outcome[]>;
}

/** The creates that are sent at a point. */
type Creates = Record<"plain" | "keyed", Attempt>;

/** Sends the creates, and makes them wait for their commit until `release` is called. */
const held =
	(during: (scene: Scene, release: () => Promise<unknown>) => Promise<unknown>) =>
	async (scene: Scene): Promise<Outcome[]> => {
		const release = await scene.hold();
		const answers = scene.send();
		await scene.waiting(2);
		await during(scene, release);
		return answers;
	};

const points: Record<string, { act(scene: Scene): Promise<Outcome[]>; replies: Outcome[]; stored: number[] }> = {
	"killed before the commit": {
		act: held(async ({ service }, release) => {
			await service.stop("SIGKILL");
			await release();
		}),
		replies: [undefined],
		// Even after the kill, a PostgreSQL server may finish the commit.
		stored: [0, 1],
	},
	"left by its clients before the commit": {
		act: held(async ({ waiting, leave }, release) => {
			leave();
			await release();
			await waiting(0);
		}),
		replies: [undefined],
		stored: [1],
	},
	"stopped before the commit": {
		act: held(async ({ service }, release) => {
			service.process.kill("SIGTERM");
			await until("the stop", () => service.output.stdout.includes('"msg":"stopping"'));
			await release();
			assert.equal((await service.finished).code, 0);
		}),
		replies: [201],
		stored: [1],
	},
	"without its store during the transaction": {
		act: ({ lose, send }) => lose(send),
		replies: [503],
		stored: [0, 1],
	},
	"cut off after the commit, before the reply": {
		act: ({ sendCut }) => sendCut(),
		replies: [undefined],
		stored: [1],
	},
};

function sceneOf(
	context: TestContext,
	engine: Engine,
	service: Running,
	key: string,
	{ plain, keyed }: Creates,
): Scene {
	const agent = new Agent({ keepAlive: true });
	context.after(() => agent.destroy());
	const send = (url = service.url) =>
		Promise.all(
			[plain, keyed].map((each) =>
				post(url, key, agent, each).then(
					({ status }) => status,
					() => undefined,
				),
			),
		);
	/** Other writes, from background work, may wait together with the creates. */
	async function isWaiting(creates: number): Promise<boolean> {
		const waiting = await figureOf(service, "animal_store_writes_waiting");
		return creates === 0 ? waiting === 0 : waiting >= creates;
	}
	return {
		...engine,
		service,
		send,
		waiting: (creates) => until(`${creates} creates to wait`, () => isWaiting(creates)),
		leave: () => agent.destroy(),
		sendCut: async () => send(await cutting(context, Number(new URL(service.url).port), 2)),
	};
}

/** Compares the store and a repeat of the create with the Idempotency-Key to the replies at a point. */
async function assertKept(url: string, key: string, { plain, keyed }: Creates, outcomes: Outcome[], stored: number[]) {
	const repeated = await post(url, key, new Agent(), keyed);
	assert.equal(repeated.status, 201);
	const pets = await listAll(url, key);
	const countOf = ({ pet }: Attempt) => pets.filter(({ name }) => name === pet.name).length;
	assert.equal(countOf(keyed), 1);
	const isReplayed = "idempotency-replayed" in repeated.headers;
	for (const [place, kept] of [countOf(plain), Number(isReplayed)].entries())
		assert.ok(outcomes[place] === 201 ? kept === 1 : stored.includes(kept), `${outcomes[place]} and ${kept} stored`);
	return 1 + countOf(plain);
}

for (const open of [sqlite, postgres]) {
	test(`${open.name}: a service ended at any point keeps what it acknowledged; repeats return the same`, {
		timeout: slowMs, // The service is started six times.
	}, async (context) => {
		const engine = await open(context);
		const key = await keyFor(engine.databaseUrl);
		const start = () => startProgram(context, { DATABASE_URL: engine.databaseUrl, CREATE_WAIT_MAX: "1m" });
		let service = await start();
		let animals = 0;
		for (const [place, [point, { act, replies, stored }]] of Object.entries(points).entries()) {
			await context.test(point, async (context) => {
				const creates = {
					plain: attempt(2 * place),
					keyed: { ...attempt(2 * place + 1), idempotencyKey: `k${place}` },
				};
				const outcomes = await within("the replies", act(sceneOf(context, engine, service, key, creates)));
				for (const outcome of outcomes) assert.ok(replies.includes(outcome), `a reply was ${outcome}`);
				const { process, finished } = service;
				if (process.exitCode === null && process.signalCode === null)
					assert.equal((await ask(`${service.url}/v1/pets`, { key })).status, 200, "reads continue");
				process.kill("SIGKILL");
				await finished;
				await engine.repair();
				service = await start();
				animals += await assertKept(service.url, key, creates, outcomes, stored);
				assert.equal((await listAll(service.url, key)).length, animals);
			});
		}
	});
}
