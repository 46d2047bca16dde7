// The shipped systemd files, on a booted machine. Their sandbox allows everything that the program does.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import {
	bootMachine,
	type Machine,
	type Run,
	restartOne,
	rounds,
	underLoad,
	untilReady,
} from "../support/booted-machine.ts";
import { blockOf } from "../support/document-blocks.ts";
import { oldTools } from "../support/machine.ts";
import { startPostgresFor } from "../support/postgres-server.ts";
import { linux, type Proof, program, root, type Trial } from "../support/proof.ts";
import { until } from "../support/until.ts";

const units = "/etc/systemd/system";
const settings = "/etc/animal-store/environment";
const publicUrl = "http://127.0.0.1:8080/v1/pets";
/** The highest exposure level, in tenths, as systemd-analyze expects it. */
const exposureMax = 15;
const herd = 300;
const nodes = "animal-store@9464 animal-store@9465";
const opsPorts = [9464, 9465];

export const proof: Proof = {
	shows: "the unit for systemd is sandboxed, and nodes, their backups and all commands work in it, even after a crash",
	needs: [
		linux,
		root,
		program("systemd-analyze", "systemd"),
		program("unshare", "util-linux"),
		program("ip", "iproute2"),
		program("adduser"),
		program("curl"),
		program("strace"),
	],
	options: { rounds: { default: "30", text: "restarts under load of each way to run the service" } },
	async prove(trial) {
		const socket = join(trial.folder, "socket");
		mkdirSync(socket);
		chmodSync(trial.folder, 0o755);
		chmodSync(socket, 0o777);
		const server = await startPostgresFor(trial, ["-c", `unix_socket_directories=${socket}`]);
		const machine = await bootWithPackage(trial, socket);
		const { run } = machine;
		for (const start of ["adduser --system", "test -e", "units="]) run(blockOf("docs/debian.md", start));
		const refused = watchCalls(machine, trial);
		run(`systemd-analyze verify ${units}/animal-store.service`);
		const limit = `--offline=true --threshold=${exposureMax}`;
		const rating = run(`systemd-analyze security ${limit} ${units}/animal-store.service`);
		const exposure = Number(/Overall exposure level .*: ([\d.]+)/.exec(rating)?.[1]);

		run(`sed -i s/^BACKUP_EVERY=.*/BACKUP_EVERY=1s/ ${settings}`);
		const key = await restart(run);
		addAnimals(run, key);
		const backups = await backUpAfterCrash(run);
		trial.say("after a SIGKILL the service runs again and backs up");
		await startLate(run);
		trial.say("the service starts as soon as a missing settings file is back");
		addAnimals(run, key);
		const tasks = runTasks(run, 2 * herd);
		trial.say("every command works in the sandbox of the service");
		const count = trial.option("rounds");
		const held = await restartWithSocket(run, key, count);
		trial.say(`systemd holds the port, and ${count} restarts fail no request`);
		const requests = await restartNodes(run, key, count);
		trial.say(`two nodes share a port, and ${count} rolling restarts fail no request`);

		const url = `postgres://animals:animals@localhost:${server.port}/postgres?host=/srv/postgresql&application_name=shop`;
		run(`systemctl stop animal-store.socket ${nodes}; cp -p ${settings} ${settings}.embedded`);
		run(`sed -i '/^BACKUP_/d; /^DATABASE_URL=/d' ${settings}; echo 'DATABASE_URL=${url}' >> ${settings}`);
		addAnimals(run, await restart(run));
		assert.match(run("animal-store pets rename 1 Rex 2>&1"), /^in postgres:.*@localhost/m);
		assert.deepEqual(logged(run), []);
		trial.say("PostgreSQL over a Unix socket works");
		assert.deepEqual(await refused(), []);

		run(`systemctl stop animal-store; mv ${settings}.embedded ${settings}`);
		run(`systemctl start animal-store.socket ${nodes}`);
		await crashNodes(run);
		trial.say("two nodes were killed, and run again: nothing is lost, and one of them makes the backups");
		return { exposure, backups, tasks, held, requests };
	},
};

/** A machine with the host's files but none of its services, with the oldest supported Node and the package. */
async function bootWithPackage(trial: Trial, socket: string): Promise<Machine> {
	const place = join(trial.folder, "machine");
	mkdirSync(place);
	return bootMachine(
		trial,
		`${place}/root`,
		`mount -t tmpfs none ${place}; cd ${place}; mkdir upper work root
		mount -t overlay overlay -o lowerdir=/,upperdir=upper,workdir=work root
		mount -t tmpfs none root${units}; printf '[Unit]\nRequires=basic.target\n' > root${units}/default.target
		mkdir -p root/opt/animal-store root/srv/postgresql
		mount --bind ${trial.shipped.place} root/opt/animal-store
		cp ${oldTools.node} root/usr/local/bin/node; mount --bind ${socket} root/srv/postgresql`,
	);
}

/** Adds a key, and restarts the service. @returns the key */
async function restart(run: Run): Promise<string> {
	const key = run("animal-store keys create --name proof");
	run("systemctl restart animal-store");
	await untilReady(run);
	return key.trim();
}

function addAnimals(run: Run, key: string): void {
	const rows = `seq ${herd} | sed 's/.*/{"name":"animal & of '$(date +%N)'","categoryId":1}/'`;
	const report = run(`${rows} | ANIMAL_STORE_KEY=${key} animal-store import - --json`);
	assert.equal(JSON.parse(report).added, herd, report);
}

/** Kills the service, and waits for a backup after its restart. @returns the number of backups */
async function backUpAfterCrash(run: Run): Promise<number> {
	// Lists complete backups, not drafts.
	const backups = () => run("find /var/backups/animals -name '*Z.db'").split("\n").slice(0, -1);
	await until("a backup", () => backups().length > 0, { everyMs: 200 });
	run("systemctl kill --signal=SIGKILL animal-store");
	await until("a new start", () => run("systemctl show -P NRestarts animal-store") === "1\n", { everyMs: 200 });
	await untilReady(run);
	const before = backups().length;
	await until("a backup after the crash", () => backups().length > before, { everyMs: 200 });
	assert.deepEqual(logged(run), []);
	return backups().length;
}

/** Makes starts fail for longer than the time after which systemd gives up by default. */
async function startLate(run: Run): Promise<void> {
	const fail = "systemctl restart animal-store || true; sleep 12";
	run(`mv ${settings} ${settings}.away; ${fail}; mv ${settings}.away ${settings}`);
	await untilReady(run);
}

/** Runs each command in the unit of the service. @returns the number of commands */
function runTasks(run: Run, animals: number): number {
	const call = 's,animal-store serve.*",animal-store $TASK",';
	run(`sed 's/^Type=.*/Type=oneshot/; /^Restart/d; ${call}' ${units}/animal-store.service > ${units}/task.service`);
	const backup = "/var/backups/animals/by-hand.db";
	const tasks = [
		"config",
		"keys create --name task",
		"keys list",
		"pets set-status 1 sold",
		"pets rename 2 Rex",
		"pets remove 3 --yes",
		"audit list",
		`backup ${backup}`,
		`verify ${backup}`,
		"verify",
	];
	for (const task of tasks) perform(run, task);
	const store = "sqlite:/var/lib/animal-store/animals.db";
	const copy = `copy --from ${store} --to sqlite:/var/lib/animal-store/copy.db`;
	assert.throws(() => perform(run, copy), "the running service has the source open");
	run("systemctl stop animal-store");
	perform(run, copy);
	perform(run, `restore ${backup} --force`);
	assert.match(run("animal-store verify"), new RegExp(`: ${animals - 1} animals, `));
	return tasks.length + 2;
}

function perform(run: Run, task: string): void {
	run(`systemctl set-environment TASK='${task}'; systemctl start task`);
}

/** Restarts the service while systemd holds its port. @returns the number of requests served meanwhile */
async function restartWithSocket(run: Run, key: string, count: string): Promise<number> {
	run("systemctl stop animal-store");
	run(blockOf("docs/debian.md", "systemctl enable"));
	await untilReady(run);
	return underLoad(run, publicUrl, key, rounds(count, restartOne));
}

/** Restarts two nodes of the template, one after the other. @returns the number of requests served meanwhile */
async function restartNodes(run: Run, key: string, count: string): Promise<number> {
	run(blockOf("docs/debian.md", "systemctl disable"));
	for (const port of opsPorts) await untilReady(run, port);
	return underLoad(run, publicUrl, key, rounds(count, blockOf("docs/debian.md", "systemctl list-units")));
}

/** Kills both nodes, and waits until they are ready again and one of them has made a backup. */
async function crashNodes(run: Run): Promise<void> {
	for (const port of opsPorts) await untilReady(run, port);
	const count = () => / ([\d,]+) animals/.exec(run("animal-store verify"))?.[1];
	const before = count();
	run("systemctl kill --signal=SIGKILL 'animal-store@*'; find /var/backups/animals -name '*Z.db' -delete");
	for (const port of opsPorts) await untilReady(run, port);
	run("animal-store pets rename 5 Max");
	const isBackedUp = () => run("find /var/backups/animals -name '*Z.db'") !== "";
	await until("a backup after the crash", isBackedUp, { everyMs: 500 });
	assert.equal(count(), before);
	assert.match(run("journalctl --unit=animal-store@9464 --output=cat --no-pager"), /backup made/);
	assert.doesNotMatch(run("journalctl --unit=animal-store@9465 --output=cat --no-pager"), /backup made/);
}

function logged(run: Run): string[] {
	const lines = `journalctl --unit='animal-store*' --output=cat --no-pager | grep -E '"level":"(error|fatal)"' || true`;
	return run(lines).split("\n").slice(0, -1);
}

/** Traces everything that systemd starts. @returns a function that ends the trace and lists the refused system calls */
function watchCalls({ pid }: Machine, { folder, after }: Trial): () => Promise<string[]> {
	const file = join(folder, "calls");
	const strace = spawn("strace", ["-f", "-Y", "--status=failed", "-o", file, "-p", String(pid)], { stdio: "ignore" });
	after(() => strace.kill("SIGKILL"));
	return async () => {
		strace.kill("SIGINT");
		await once(strace, "exit");
		const failed = readFileSync(file, "utf8").split("\n");
		assert.ok(failed.some((line) => /<(node|MainThread)> /.test(line)));
		// A name in parentheses is systemd itself, before it starts the program. A line without a process name is the rest
		// of a line that strace has split.
		return failed.filter((line) => /^\d+<[^(].*= -1 (EPERM|EAFNOSUPPORT) /.test(line));
	};
}
