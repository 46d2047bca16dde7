// The erasure of names. A command reports it if it loses the server. After edits in the console, a failure is reported
// and the erasure is tried again later; a stop ends it.

import assert from "node:assert/strict";
import { renameSync } from "node:fs";
import { type TestContext, test } from "node:test";
import { createBackground } from "../../src/store/background.ts";
import { createErasing } from "../../src/store/erasing.ts";
import { openStore } from "../../src/store/open.ts";
import { databaseFor } from "../support/postgres.ts";
import { runProgram, startProgram } from "../support/program.ts";
import { temporaryStore } from "../support/service.ts";
import { connect } from "../support/sql.ts";
import { withStore } from "../support/store-reads.ts";
import { until, within } from "../support/until.ts";

function erasingOf(databaseUrl: string) {
	const failures: string[] = [];
	const background = createBackground((task, error, isFirst) => {
		if (isFirst) failures.push(`${task}: ${(error as Error).message}`);
	});
	return {
		failures,
		erasing: createErasing(background, { ...process.env, BACKUPS_TO: "/b", DATABASE_URL: databaseUrl }, 50),
	};
}

async function storeWithRemoval(context: TestContext) {
	const databaseUrl = temporaryStore(context);
	const store = await openStore(databaseUrl, Date.now);
	context.after(() => store.close());
	await store.createPet({ name: "Rex", categoryId: 1n });
	await store.edits.apply({ petId: 1n, editor: "desk", action: "remove" });
	const erasedAtMs = async () => (await store.edits.ofPet(1n, 1))[0]?.erasedAtMs;
	return { databaseUrl, store, erasedAtMs };
}

test("a failed erasure is reported once with its reason, and tried again until it succeeds", async (context) => {
	const { databaseUrl, store } = await storeWithRemoval(context);
	await store.close();
	const file = databaseUrl.slice("sqlite:".length);
	renameSync(file, `${file}.away`);
	const { failures, erasing } = erasingOf(databaseUrl);
	erasing.start();
	await until("the failure", () => failures.length > 0);
	renameSync(`${file}.away`, file);
	const opened = await openStore(databaseUrl, Date.now);
	await until("the name to be erased", async () => !(await opened.edits.hasNamesToErase()));
	await within("the end of the erasing", erasing.stop());
	await opened.close();
	assert.equal(failures.length, 1);
	assert.match(failures[0] ?? "", /^erase: there is no store at /);
});

test("a stop ends an erasure under way, which is not a failure", async (context) => {
	const { databaseUrl, erasedAtMs } = await storeWithRemoval(context);
	const { failures, erasing } = erasingOf(databaseUrl);
	erasing.start();
	await within("the end of the erasing", erasing.stop());
	assert.deepEqual([failures, await erasedAtMs()], [[], undefined]);
});

test("a name that was left when a service ended is erased after the next start", async (context) => {
	const { databaseUrl, store, erasedAtMs } = await storeWithRemoval(context);
	assert.equal(await store.edits.hasNamesToErase(), true);
	await startProgram(context, { DATABASE_URL: databaseUrl });
	await until("the name to be erased", async () => (await erasedAtMs()) !== undefined);
	assert.equal(await store.edits.hasNamesToErase(), false);
});

test("postgres: a removal that loses the server before the name is erased reports that", async (context) => {
	const { url, query } = await databaseFor(context);
	await withStore(url, (store) => store.createPet({ name: "Trillian", categoryId: 1n }));
	const run = (...parameters: string[]) => runProgram(parameters, { environment: { DATABASE_URL: url } });
	const holder = await connect(context, url);
	await holder.query("BEGIN; LOCK idempotency_keys IN SHARE UPDATE EXCLUSIVE MODE");
	const removing = run("pets", "remove", "1");
	const waiting = "datname = current_database() AND query LIKE 'VACUUM%' AND wait_event_type = 'Lock'";
	const lose = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE ${waiting}`;
	await until("the erasing to wait", async () => (await query(lose)).length > 0);
	const { code, stdout, stderr } = await removing;
	assert.deepEqual([code, stdout], [1, "animal 1 is removed\n"]);
	assert.match(stderr, /: the old name of animal 1 may still be in the files of the store \(57P01: .*\): run the same/);
	await holder.end();
	assert.equal((await run("pets", "erase-names")).code, 0);
});
