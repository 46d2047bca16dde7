// The files of a store are removed or replaced while the service runs: nothing is acknowledged, and nothing is lost.

import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { cpSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { Agent } from "node:http";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import Database from "better-sqlite3";
import { keyFromRandom } from "../../src/keys/formats.ts";
import { openStore } from "../../src/store/open.ts";
import { identityOf, trackOpenFiles } from "../../src/store/sqlite/identity.ts";
import { attempt as commitOnce } from "../../src/store/sqlite/writer-thread.ts";
import { ask } from "../support/caller.ts";
import { call } from "../support/command.ts";
import { attempt, idOf, isShed, post, record } from "../support/create.ts";
import { addAnimals, assertSeen, keepingCaller, keepLinks, statusOf } from "../support/histories.ts";
import { Ledger, listAll } from "../support/ledger.ts";
import { isServing } from "../support/listen.ts";
import { type Finished, keyFor, startProgram } from "../support/program.ts";
import { temporaryFolder } from "../support/service.ts";
import { runSql } from "../support/sql.ts";
import { animalsIn, withStore } from "../support/store-reads.ts";
import { succeeds, until, within } from "../support/until.ts";

/** A service on the store `file`, or a link to it, and the file `other`: another store, with one animal and the same key. */
async function loaded(context: TestContext, isLink = false) {
	const folder = temporaryFolder(context);
	const file = join(folder, "animals.db");
	const other = join(folder, "other.db");
	const environment = { DATABASE_URL: `sqlite:${file}` };
	const key = await keyFor(environment.DATABASE_URL);
	await call(["backup", other], { environment });
	await withStore(`sqlite:${other}`, (store) => store.createPet({ name: "the other one", categoryId: 1n }));
	if (isLink) {
		renameSync(file, `${file}.away`);
		symlinkSync(`${file}.away`, file);
	}
	const service = await startProgram(context, environment);
	const ledger = new Ledger();
	/**
	 * Runs `deed` during creates with and without Idempotency-Keys. Asserts that all later creates are refused.
	 * @param isEnd whether the service may end its connections afterwards
	 */
	const lose = async (deed: () => void, isEnd = false) => {
		const agent = new Agent({ keepAlive: true });
		context.after(() => agent.destroy());
		let number = 0;
		let isDone = false;
		const client = async (isKeyed: boolean) => {
			for (let refused = 0; refused < 3; ) {
				const mine = { ...attempt(number), idempotencyKey: isKeyed ? `key-${number}` : undefined };
				number++;
				const wasDone = isDone;
				const answer = await record(ledger, service.url, key, agent, mine);
				if (!answer && isDone && isEnd) return;
				assert.ok(answer, "a reply");
				if (answer.status === 201) assert.ok(!wasDone, "no create is acknowledged in a file that was unlinked");
				else if (!isShed(answer)) {
					assert.deepEqual([answer.status, /"code":"storage_unavailable"/.test(answer.body)], [503, true]);
					refused++;
				}
			}
		};
		const clients = [true, false, true, false, true, false].map(client);
		await until("creates with and without keys", () => ledger.acknowledged.size > 100);
		deed();
		isDone = true;
		await within("every client to be refused", Promise.all(clients));
	};
	return { service, file, other, key, ledger, lose };
}

/** Asserts that the service ends with this code after one fatal line with this cause, and a clean stop. */
async function assertEnds(finished: Promise<Finished>, cause: string, endsWith: number): Promise<void> {
	const { code, stdout } = await within("the end", finished);
	assert.equal(code, endsWith);
	const fatal = stdout.split("\n").filter((line) => line.includes('"level":"fatal"'));
	assert.equal(fatal.length, 1, stdout.slice(0, 2000));
	assert.equal(JSON.parse(fatal[0] ?? "").msg, `${cause}: writes are rejected until the service is restarted`);
	assert.match(stdout, /"level":"fatal"[\s\S]*"msg":"stopping"[\s\S]*"msg":"stopped"/);
}

for (const isLink of [false, true]) {
	const place = isLink ? "place of a link to its file" : "place of its file";
	test(`nothing is acknowledged once another file is in the ${place}; both are kept`, async (context) => {
		const it = await loaded(context, isLink);
		await it.lose(() => {
			if (isLink) rmSync(it.file);
			else renameSync(it.file, `${it.file}.away`);
			renameSync(it.other, it.file);
		});
		const scene = { ...it, sql: async () => [] };
		for (const path of ["/livez", "/readyz", "/v1/pets", "/v1/pets?limit=2", "/v1/pets/1", "/console/find"])
			assert.equal(await statusOf(scene, path), 503, path);
		await assertEnds(it.service.stop(), `${it.file} was removed or replaced while it was open`, 0);
		const names = (await animalsIn(`sqlite:${it.file}`)).map(({ name }) => name);
		assert.deepEqual(names, ["the other one"], "the previous store's WAL was not replayed over it");
		it.ledger.verify(await animalsIn(`sqlite:${it.file}.away`));
	});
}

test("nothing is acknowledged if the file is moved away during its transaction", async (context) => {
	const file = join(temporaryFolder(context), "s.db");
	const store = await openStore(`sqlite:${file}`, Date.now);
	context.after(() => store.close());
	const other = new Database(file, { timeout: 0 });
	context.after(() => other.close());
	const numbers = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000000)";
	other.exec(`CREATE TRIGGER slow AFTER INSERT ON pets BEGIN ${numbers} SELECT max(i) FROM n; END`);
	const refused = assert.rejects(store.createPet({ name: "a", categoryId: 1n }), { name: "StorageUnavailable" });
	const isWriting = () => !succeeds(() => other.exec("BEGIN IMMEDIATE; ROLLBACK"));
	await until("the transaction to run", isWriting, { everyMs: 1 });
	renameSync(file, `${file}.away`);
	await refused;
});

test("after a file was restored while no node ran, nothing of the abandoned timeline is shown", async (context) => {
	const folder = temporaryFolder(context);
	const [file, saved] = [join(folder, "animals.db"), join(folder, "saved.db")];
	const environment = { DATABASE_URL: `sqlite:${file}` };
	const key = await keyFor(environment.DATABASE_URL);
	await withStore(environment.DATABASE_URL, (store) => store.createPet({ name: "common", categoryId: 1n }));
	cpSync(file, saved);
	const sql = (statement: string) => runSql(environment.DATABASE_URL, statement);
	const scene = { service: await startProgram(context, environment), key, sql };
	const caller = keepingCaller(scene);
	await addAnimals(scene, 25, "lost");
	await call(["pets", "rename", "1", "lost"], { environment });
	await assertSeen(scene, [caller]);
	const assertLinks = await keepLinks(scene);
	await scene.service.stop();
	cpSync(saved, file);
	scene.service = await startProgram(context, environment);
	await assertSeen(scene, [keepingCaller(scene)]);
	await assertLinks();
	await addAnimals(scene, 25, "new");
	await assertSeen(scene, [caller]);
});

// Through a link, the log is beside the linked file.
for (const [removed, isLink] of Object.entries({ "-wal": true, "-shm": false })) {
	test(`nothing is acknowledged without ${removed}; what was survives a SIGKILL`, async (context) => {
		const it = await loaded(context, isLink);
		await it.lose(() => rmSync(`${it.file}${isLink ? ".away" : ""}${removed}`));
		assert.equal((await ask(`${it.service.url}/livez`)).status, 503);
		await it.service.stop("SIGKILL");
		it.ledger.verify(await animalsIn(`sqlite:${it.file}`));
	});
}

test("nothing is acknowledged after a sync failed in another process; a later node works", async (context) => {
	const it = await loaded(context);
	const other = trackOpenFiles(it.file, identityOf(it.file));
	await it.lose(() => other.reportFailedSync(), true);
	const later = await startProgram(context, { DATABASE_URL: `sqlite:${it.file}` });
	const answer = await post(later.url, it.key, new Agent(), attempt(-1));
	it.ledger.acknowledge(attempt(-1), idOf(answer));
	await assertEnds(it.service.finished, `a sync of ${it.file} failed`, 1);
	it.ledger.verify(await listAll(later.url, it.key));
	other.reportFailedSync();
	const { status } = await post(later.url, it.key, new Agent(), attempt(-2));
	assert.equal(status, 503, "a second failure is noticed, too");
});

test("a failed sync is told to every process that has the store open, another failure is not", async (context) => {
	const file = join(temporaryFolder(context), "animals.db");
	await withStore(`sqlite:${file}`, (store) => store.createPet({ name: "Rex", categoryId: 1n }));
	const [mine, other] = [trackOpenFiles(file, identityOf(file)), trackOpenFiles(file, identityOf(file))];
	for (const code of ["SQLITE_FULL", "SQLITE_IOERR_WRITE", "SQLITE_IOERR_FSYNC", "SQLITE_IOERR_DIR_FSYNC"]) {
		const fail = () => {
			throw Object.assign(new Error("disk"), { code });
		};
		assert.deepEqual(commitOnce(file, mine, fail), { kind: "failed", code, message: "disk" });
		assert.equal(other.hasFailedSync(), code.endsWith("FSYNC"), code);
	}
	const pragmas: string[] = [];
	const database = { pragma: (text: string) => void pragmas.push(text) } as unknown as Database.Database;
	trackOpenFiles(file, identityOf(file)).checkpointWal(database);
	assert.deepEqual(pragmas.splice(0), ["busy_timeout = 5000", "wal_checkpoint(TRUNCATE)"]);
	writeFileSync(`${file}-wal`, "of a process that has the file open anew");
	other.checkpointWal(database);
	assert.deepEqual(pragmas, [], "no WAL is replayed over a newer one");
});

test("a service whose folder was removed reads on, and liveness fails, even without a create", async (context) => {
	const folder = join(temporaryFolder(context), "data");
	mkdirSync(folder);
	const API_KEY = keyFromRandom(randomBytes(32));
	const service = await startProgram(context, { DATABASE_URL: `sqlite:${join(folder, "animals.db")}`, API_KEY });
	rmSync(folder, { recursive: true });
	await until("liveness to fail", async () => !(await isServing(`${service.url}/livez`)), { everyMs: 100 });
	assert.equal((await ask(`${service.url}/v1/pets`, { key: API_KEY })).body, "[]");
	const { code, stdout } = await service.stop();
	assert.equal(code, 0);
	assert.match(stdout, /"level":"fatal".*was removed or replaced/);
});
