// The service's own backups (BACKUP_TO, BACKUP_EVERY, BACKUP_KEEP): complete or absent, with no extra ones after
// restarts. Only old backups are removed, and only once a new one is complete.

import assert from "node:assert/strict";
import { mkdirSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { type TestContext, test } from "node:test";
import { backupStore } from "../../src/cli/maintenance/backup.ts";
import { verifyStore } from "../../src/cli/maintenance/verify.ts";
import { folderOf, type ScheduleOptions, scheduleBackups } from "../../src/jobs/scheduled-backups.ts";
import { openStore } from "../../src/store/open.ts";
import { isBackup, refuseNewStore } from "../../src/store/sqlite/backup-files.ts";
import { ask } from "../support/caller.ts";
import { assertRefused, call } from "../support/command.ts";
import { startProgram, startRefused } from "../support/program.ts";
import { figureOf, samplesOf } from "../support/scrape.ts";
import { assertFailure, create, temporaryFolder, testService } from "../support/service.ts";
import { slowMs, until, within } from "../support/until.ts";

const hourMs = 3_600_000;
const noonMs = Date.UTC(2026, 10, 21, 12);
const nameOf = (time: string) => `animal-store-${time}Z.db`;

/** A store of 20 animals, its own folder for backups in another, and a schedule with its own clock. */
async function someStore(context: TestContext) {
	const folder = temporaryFolder(context);
	const outer = join(folder, "backups");
	const databaseUrl = `sqlite:${join(folder, "s.db")}`;
	const store = await openStore(databaseUrl, Date.now);
	const { cursorSecret } = store;
	const to = join(outer, folderOf(cursorSecret));
	mkdirSync(to, { recursive: true });
	await Promise.all(Array.from({ length: 20 }, () => store.createPet({ name: "n", categoryId: 1n })));
	await store.close();
	const addOwn = (name: string) => backupStore(databaseUrl, join(to, name), { signal: new AbortController().signal });
	const made: string[] = [];
	const failures: string[] = [];
	const warnings: number[] = [];
	const clock = { nowMs: noonMs };
	const schedule = (plan: Partial<ScheduleOptions> = {}) => {
		const backups = scheduleBackups({
			...{ folder: outer, cursorSecret, everyMs: hourMs, keep: 3, environment: { DATABASE_URL: databaseUrl } },
			storeFile: databaseUrl.slice("sqlite:".length),
			now: () => clock.nowMs,
			...plan,
			onBackup({ file, animals, durationMs }) {
				assert.ok(animals === 20 && durationMs > 0);
				made.push(file);
			},
			onFailure: (reason) => void failures.push(reason),
			onSameDisk: () => void warnings.push(clock.nowMs),
		});
		context.after(() => backups.stop());
		return backups;
	};
	return { outer, to, databaseUrl, clock, made, failures, warnings, schedule, addOwn };
}

test("a first backup is made at once, sound and private; a restart makes no second one", async (context) => {
	const { to, clock, made, failures, schedule } = await someStore(context);
	rmSync(to, { recursive: true });
	const first = schedule();
	await until("a backup", () => made.length === 1);
	assert.equal((statSync(to).mode & 0o777).toString(8), "700");
	assert.equal(folderOf(Buffer.from("a")), "ee70654891ee", "later versions find the backups of earlier ones");
	assert.deepEqual(readdirSync(to), [nameOf("20261121T120000")]);
	const [file = ""] = made;
	assert.equal((statSync(file).mode & 0o777).toString(8), "600");
	const { animals, problems } = await verifyStore(`sqlite:${file}`, { signal: new AbortController().signal });
	assert.deepEqual([animals, problems], [20, []]);
	assert.equal(first.lastAtMs(), noonMs);
	await first.stop();
	clock.nowMs += hourMs - 1;
	context.mock.timers.enable({ apis: ["setTimeout"] });
	const second = schedule();
	assert.equal(second.lastAtMs(), noonMs);
	clock.nowMs += 1;
	context.mock.timers.tick(1);
	await until("the second backup", () => made.length === 2);
	assert.match(made[1] ?? "", /T130000Z\.db$/, "not earlier");
	assert.deepEqual(failures, []);
});

test("old backups of the same store are removed once a new one is complete; other files stay", async (context) => {
	const { outer, to, databaseUrl, made, failures, schedule, addOwn } = await someStore(context);
	const old = ["20261119T120000", "20261120T110000", "20261120T120000"].map(nameOf);
	const early = nameOf("20261101T120000");
	const others = [`${early}.txt`, "animal-store.db", `${early}-journal`, `my-${early}`];
	for (const name of old) await addOwn(name);
	for (const name of others) writeFileSync(join(to, name), "SQLite format 3");
	const another = join(outer, "another store");
	mkdirSync(another);
	for (const folder of [outer, another]) writeFileSync(join(folder, old[0] ?? ""), "a backup of another store");
	assert.throws(() => refuseNewStore(join(outer, "new.db"), another), /another store has backups of one: mount/);
	const file = databaseUrl.slice("sqlite:".length);
	renameSync(file, `${file}.away`);
	const failing = schedule({ keep: 2 });
	await until("a failure", () => failures.length === 1);
	await failing.stop();
	assert.match(failures[0] ?? "", /there is no store at/);
	assert.deepEqual(new Set(readdirSync(to)), new Set([...old, ...others]), "a failed backup removes nothing");
	renameSync(`${file}.away`, file);
	const complete = schedule({ keep: 2 });
	await until("a backup", () => made.length === 1);
	await complete.stop();
	assert.deepEqual(new Set(readdirSync(to)), new Set([old[2], nameOf("20261121T120000"), ...others]));
	assert.deepEqual(new Set(readdirSync(outer)), new Set([old[0], "another store", basename(to)]));
	assert.deepEqual(readdirSync(another), [old[0]]);
});

test("a backup from the future delays none, is removed first, and makes no extra one at a start", async (context) => {
	const { to, clock, made, schedule, addOwn } = await someStore(context);
	const ahead = ["20271121T120000", "20271121T130000"].map(nameOf);
	for (const name of ahead) await addOwn(name);
	const first = schedule({ keep: 2, everyMs: 50 });
	assert.equal(first.lastAtMs(), 0, "the alert for old backups does not count backups from the future");
	for (let count = 1; count < 3; count++) {
		await until("the next backup", () => made.length === count);
		clock.nowMs += 1000;
	}
	await until("the third backup", () => made.length === 3);
	await first.stop();
	const newest = made.slice(-2).map((file) => basename(file));
	assert.deepEqual(readdirSync(to).sort(), newest, "the newest backups are kept");
	await addOwn(ahead[0] ?? "");
	const second = schedule();
	await second.stop();
	assert.deepEqual([made.length, second.lastAtMs()], [3, clock.nowMs], "no extra backup");
	clock.nowMs = 1000; // The machine's clock has no battery, and is not set yet.
	const third = schedule();
	await until("a backup even so", () => made.length === 4);
	await third.stop();
});

test("a start without its store's disk is refused next to backups; a new store removes none", {
	timeout: slowMs, // Slow: each start and each backup runs in a new Node process.
}, async (context) => {
	const folder = temporaryFolder(context);
	const [disk, to] = [join(folder, "disk"), join(folder, "backups")];
	for (const place of [disk, to]) mkdirSync(place);
	const environment = { DATABASE_URL: `sqlite:${join(disk, "s.db")}` };
	const settings = { ...environment, BACKUP_TO: to, BACKUP_EVERY: "1s", BACKUP_KEEP: "1", PORT: "0", OPS_PORT: "0" };
	const service = await startProgram(context, { ...environment, BACKUP_TO: to });
	assert.match(service.output.stdout, /"level":"warn",.*"msg":"created a new store: .*s\.db"/);
	await until("a backup", () => service.output.stdout.includes("backup made"));
	await service.stop();
	const names = () => readdirSync(to, { recursive: true }).filter((name) => String(name).endsWith(".db"));
	const good = names();
	renameSync(disk, join(folder, "away"));
	mkdirSync(disk);
	const said = /^animal-store: there is no store at .*s\.db, but .*backups has backups of one: mount .*\n$/;
	await startRefused(settings, said);
	const createKey = ["keys", "create", "--name", "a"];
	await assertRefused([[createKey, said]], { environment: settings });
	assert.deepEqual(readdirSync(disk), []);
	assert.equal((await call(createKey, { environment })).code, 0, "without BACKUP_TO");
	const other = await startProgram(context, settings);
	await until("two backups", () => other.output.stdout.split("backup made").length > 2);
	await other.stop();
	const left = names();
	assert.ok(good.length === 1 && left.length <= 3 && left.includes(good[0] ?? ""), left.join(" "));
});

test("a store in the folder of its backups, named like one, stays locked and is not removed", async (context) => {
	const { outer, to, addOwn } = await someStore(context);
	const [old, store] = [nameOf("20250101T000000"), nameOf("20250102T000000")];
	for (const name of [old, store]) await addOwn(name);
	const environment = { DATABASE_URL: `sqlite:${join(to, store)}`, BACKUP_TO: outer, BACKUP_KEEP: "1" };
	const service = await startProgram(context, environment);
	await until("the old backup to be removed", () => !readdirSync(to).includes(old));
	const made = readdirSync(to).find((name) => name > store && name.endsWith("Z.db")) ?? "";
	const { stderr } = await call(["restore", join(to, made), "--force"], { environment });
	assert.equal(stderr, `animal-store: ${join(to, store)} is in use: stop the service, then restore\n`);
	assert.equal((await service.stop()).code, 0);
});

test("a backup fails while drafts cannot be removed from its folder, and is tried again", async (context) => {
	const { to, clock, made, failures, schedule } = await someStore(context);
	const draft = join(to, "animal-store-20261121T110000Z.db.4194305-0.new");
	context.mock.timers.enable({ apis: ["setTimeout"] });
	const pass = (minutes: number) => {
		clock.nowMs += minutes * 60_000;
		context.mock.timers.tick(minutes * 60_000);
	};
	mkdirSync(draft); // This draft is a folder, and the service can only remove files.
	schedule();
	await until("a failure", () => failures.length === 1);
	pass(9.9);
	await new Promise(setImmediate);
	assert.equal(failures.length, 1);
	pass(0.1);
	await until("another try after ten minutes", () => failures.length === 2);
	rmSync(draft, { recursive: true });
	clock.nowMs -= 24 * hourMs;
	pass(1);
	pass(10);
	await until("a backup, although the clock was set back", () => made.length === 1);
	clock.nowMs -= 24 * hourMs;
	pass(1);
	await until("the next one, which does not wait for a try", () => made.length === 2);
});

test("within a minute after a machine slept, or its clock was set, one backup is made", async (context) => {
	const { clock, made, failures, schedule } = await someStore(context);
	context.mock.timers.enable({ apis: ["setTimeout"] });
	const backups = schedule();
	await until("the first backup", () => made.length === 1);
	for (const [index, days] of [50, 120, -100].entries()) {
		clock.nowMs += days * 24 * hourMs;
		context.mock.timers.tick(60_000);
		await until("the backup", () => made.length === index + 2 && backups.lastAtMs() === clock.nowMs);
		for (let minutes = 0; minutes < 3; minutes++) context.mock.timers.tick(60_000);
	}
	await backups.stop();
	assert.deepEqual([made.length, failures], [4, []], "one for each jump");
});

test("each time its folder turns out to be on the store's disk, a warning and the metric say so", async (context) => {
	const { outer, clock, made, warnings, schedule } = await someStore(context);
	context.mock.timers.enable({ apis: ["setTimeout"] });
	let isMounted = false;
	const backups = schedule({ deviceOf: (path) => (isMounted && path === outer ? 2 : 1) });
	await until("the first backup", () => made.length === 1);
	const seen = [backups.isOnStoreDisk()];
	for (const mounted of [false, true, false]) {
		isMounted = mounted;
		clock.nowMs += 60_000;
		context.mock.timers.tick(60_000);
		seen.push(backups.isOnStoreDisk());
	}
	await backups.stop();
	assert.deepEqual(seen, [true, true, false, true]);
	assert.deepEqual(warnings, [noonMs, noonMs + 180_000], "once each time");
});

test("after a fatal failure no backup is made, because it would replace a good one", async (context) => {
	const to = temporaryFolder(context);
	const { mock: started } = context.mock.method(globalThis, "setTimeout");
	const { mock: cleared } = context.mock.method(globalThis, "clearTimeout");
	const service = await testService(context, { environment: { BACKUP_TO: to, BACKUP_EVERY: "7h" } });
	const next = await until("the next backup to be planned", () =>
		started.calls.find(({ arguments: [work, ms] }) => work.name === "look" && ms === 60_000),
	);
	const isCleared = () => cleared.calls.some(({ arguments: [timer] }) => timer === next.result);
	const made = readdirSync(to, { recursive: true }).filter((name) => /Z\.db$/.test(String(name)));
	assert.deepEqual([made.length, isCleared()], [1, false]);
	const none = await testService(context, { environment: { BACKUP_TO: join(to, "none"), BACKUP_EVERY: "never" } });
	assert.deepEqual(await samplesOf(none, "animal_store_backup_interval_seconds"), []);
	rmSync(service.databaseUrl.slice("sqlite:".length));
	assertFailure(await service.send(create({ name: "Rex", categoryId: 1 })), "storage_unavailable");
	assert.ok(service.log.some(({ level }) => level === "fatal") && isCleared());
});

test("a stop ends a running backup and leaves no file of it", async (context) => {
	const { to, made, schedule, failures } = await someStore(context);
	const backups = schedule();
	await until("the draft of a backup", () => readdirSync(to).length > 0);
	await within("the stop", backups.stop());
	// It may have been complete, but not reported yet.
	assert.deepEqual([readdirSync(to).filter((name) => !isBackup(name)), made, failures], [[], [], []]);
});

test("a failed backup is logged as one error line and an alert, and made once it can be", async (context) => {
	const folder = temporaryFolder(context);
	const to = join(folder, "backups");
	const environment = { DATABASE_URL: `sqlite:${join(folder, "s.db")}`, BACKUP_TO: to, BACKUP_EVERY: "1s" };
	const service = await startProgram(context, environment);
	const lines = (message: string) => service.output.stdout.split("\n").filter((line) => line.includes(message));
	const failed = (times: number) => until("a failure", () => lines("backup failed").length >= times);
	await failed(1); // The backup folder does not exist yet.
	mkdirSync(to);
	await until("a backup", () => lines("backup made").length > 0);
	const failures = lines("backup failed").length;
	rmSync(to, { recursive: true });
	await failed(failures + 1);
	const { reason, level } = JSON.parse(lines("backup failed")[0] ?? "");
	assert.match(`${level} ${reason}`, /^error .*backups.*: its folder does not exist/);
	assert.equal((await ask(`${service.url}/readyz`)).status, 200);
	const isGone = async (figure: string) => (await figureOf(service, figure)) === 0;
	await until("no backup to be left", () => isGone("animal_store_last_backup_timestamp_seconds"));
	await until("the folder to be missed", () => isGone("animal_store_backup_on_store_disk"));
	assert.equal(await figureOf(service, "animal_store_backup_interval_seconds"), 1);
	assert.ok((await figureOf(service, "animal_store_background_failures_total", { task: "backup" })) > failures);
	assert.ok(lines("backups are on the disk of the store").length > 0);
	const { code, stdout } = await service.stop();
	assert.equal(code, 0);
	assert.doesNotMatch(stdout, /"level":"fatal"/);
});
