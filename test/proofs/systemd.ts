// The shipped files for systemd, on a booted machine: their sandbox allows everything that the program does.

import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { bootMachine, type Machine, type Run, untilReady } from "../support/booted-machine.ts";
import { blockOf } from "../support/document-blocks.ts";
import { startPostgresFor } from "../support/postgres-server.ts";
import { linux, type Proof, program, root, type Trial } from "../support/proof.ts";
import { until } from "../support/until.ts";

const tree = fileURLToPath(new URL("../..", import.meta.url));
const units = "/etc/systemd/system";
const settings = "/etc/animal-store/environment";
/** In tenths, the unit of systemd-analyze. */
const exposureMax = 15;
/** Animals that one import adds. */
const herd = 300;

export const proof: Proof = {
	shows: "the unit for systemd is sandboxed, and nodes, their backups and all commands work in it, also after a crash",
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
	async prove(trial) {
		const socket = join(trial.folder, "socket");
		mkdirSync(socket);
		chmodSync(trial.folder, 0o755);
		chmodSync(socket, 0o777);
		const server = await startPostgresFor(trial, ["-c", `unix_socket_directories=${socket}`]);
		const machine = await bootWithPackage(trial, socket);
		const { run } = machine;
		run(blockOf("docs/debian.md", "adduser --system"));
		const refused = watchCalls(machine, trial);
		run(`systemd-analyze verify ${units}/animal-store.service`);
		const rating = run(
			`systemd-analyze security --offline=true --threshold=${exposureMax} ${units}/animal-store.service`,
		);
		const exposure = Number(/Overall exposure level .*: ([\d.]+)/.exec(rating)?.[1]);

		run(`sed -i s/^BACKUP_EVERY=.*/BACKUP_EVERY=1s/ ${settings}`);
		const key = await restart(run);
		addAnimals(run, key);
		const backups = await backUpAfterCrash(run);
		trial.say("after a SIGKILL the service runs again and backs up");
		addAnimals(run, key);
		const tasks = runTasks(run, 2 * herd);
		trial.say("every command works in the sandbox of the service");
		const held = await restartWithSocket(run, key);
		trial.say("systemd holds the port, and a restart fails no request");
		const requests = await restartNodes(run, key);
		trial.say("two nodes share a port, and ten rolling restarts fail no request");

		const url = `postgres://animals:animals@localhost:${server.port}/postgres?host=/srv/postgresql&application_name=shop`;
		run("systemctl stop animal-store@9464 animal-store@9465");
		run(`sed -i '/^BACKUP_/d; /^DATABASE_URL=/d' ${settings}; echo 'DATABASE_URL=${url}' >> ${settings}`);
		addAnimals(run, await restart(run));
		assert.match(run("animal-store pets rename 1 Rex 2>&1"), /^in postgres:.*@localhost/m);
		assert.deepEqual(logged(run), []);
		trial.say("PostgreSQL behind a socket works");
		assert.deepEqual(await refused(), []);
		return { exposure, backups, tasks, held, requests };
	},
};

/** A machine with the files of this one and the package as npm installs it, without the services of this one. */
async function bootWithPackage(trial: Trial, socket: string): Promise<Machine> {
	const { folder } = trial;
	execFileSync("npm", ["pack", "--pack-destination", folder], { cwd: tree, stdio: "pipe" });
	const place = join(folder, "machine");
	mkdirSync(place);
	const opt = `${place}/root/opt/animal-store/node_modules`;
	return bootMachine(
		trial,
		`${place}/root`,
		`mount -t tmpfs none ${place}; cd ${place}; mkdir upper work root
		mount -t overlay overlay -o lowerdir=/,upperdir=upper,workdir=work root
		mount -t tmpfs none root${units}; printf '[Unit]\nRequires=basic.target\n' > root${units}/default.target
		mkdir -p ${opt}/animal-store/node_modules ${opt}/.bin root/srv/postgresql
		tar -xzf ${folder}/*.tgz -C ${opt}/animal-store --strip-components 1
		mount --bind ${tree}/node_modules ${opt}/animal-store/node_modules
		ln -s ../animal-store/bin/animal-store.js ${opt}/.bin/animal-store
		cp ${process.execPath} root/usr/local/bin/node; mount --bind ${socket} root/srv/postgresql`,
	);
}

/** Restarts the service with its settings, and adds a key. @returns the key */
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

/** @returns the number of backups at the end */
async function backUpAfterCrash(run: Run): Promise<number> {
	// Files without drafts.
	const backups = () =>
		run("ls /var/backups/animals")
			.split("\n")
			.filter((name) => name.endsWith(".db"));
	await until("a backup", () => backups().length > 0, { everyMs: 200 });
	run("systemctl kill --signal=SIGKILL animal-store");
	await until("a new start", () => run("systemctl show -P NRestarts animal-store") === "1\n", { everyMs: 200 });
	await untilReady(run);
	const before = backups().length;
	await until("a backup after the crash", () => backups().length > before, { everyMs: 200 });
	assert.deepEqual(logged(run), []);
	return backups().length;
}

/** Runs each command in the unit of the service. @returns the number of commands */
function runTasks(run: Run, animals: number): number {
	const call = `s,serve --env-file.*,--env-file ${settings} $TASK,`;
	run(`sed 's/^Type=.*/Type=oneshot/; /^Restart/d; ${call}' ${units}/animal-store.service > ${units}/task.service`);
	const backup = "/var/backups/animals/by-hand.db";
	const tasks = [
		"config",
		"keys create --name task",
		"keys list",
		"pets set-status 1 sold",
		"pets rename 2 Rex",
		"pets remove 3",
		"audit list",
		`backup ${backup}`,
		`verify ${backup}`,
		"verify",
		"copy --from sqlite:/var/lib/animal-store/animals.db --to sqlite:/var/lib/animal-store/copy.db",
	];
	for (const task of tasks) perform(run, task);
	run("systemctl stop animal-store");
	perform(run, `restore ${backup} --force`);
	assert.match(run("animal-store verify"), new RegExp(`: ${animals - 1} animals, `));
	return tasks.length + 1;
}

function perform(run: Run, task: string): void {
	run(`systemctl set-environment TASK='${task}'; systemctl start task`);
}

/** Restarts the service while systemd holds its port. @returns the number of requests served meanwhile */
async function restartWithSocket(run: Run, key: string): Promise<number> {
	run(blockOf("docs/debian.md", "install -m 644 -t"));
	await untilReady(run);
	const answered = underLoad(run, key, "for n in 1 2 3; do systemctl restart animal-store; done");
	run("systemctl disable --now animal-store.socket 2>&1");
	return answered;
}

/** Lists and creates over new connections while a script runs. @returns the number of requests, which all succeeded */
function underLoad(run: Run, key: string, done: string): number {
	const request = `curl --silent --output /dev/null --write-out '%{http_code}\\n' --header 'Authorization: Bearer ${key}'`;
	const url = "http://127.0.0.1:8080/v1/pets";
	const create = `${request} --json '{"name":"Rex","categoryId":1}' ${url}`;
	const statuses = run(
		`touch busy; while [ -e busy ]; do ${request} ${url} || true; ${create} || true; done & { ${done}\n} > /dev/null; rm busy; wait`,
	);
	assert.match(statuses, /^(200\n201\n)+$/);
	return statuses.length / 4;
}

/** Restarts two nodes of the template, one after the other. @returns the number of requests served meanwhile */
async function restartNodes(run: Run, key: string): Promise<number> {
	run(blockOf("docs/debian.md", "cd /opt/animal-store"));
	for (const port of [9464, 9465]) await untilReady(run, port);
	const requests = underLoad(run, key, `for round in {1..10}; do ${blockOf("docs/debian.md", "for node in")} done`);
	const other = "serve --reuse-port true --ops-port 9466 --database-url sqlite:/var/lib/animal-store/copy.db";
	assert.throws(() => perform(run, other));
	assert.match(run("journalctl --unit=task --lines=10"), /port 8080 .* is served by a node of another store/);
	return requests;
}

/** Error lines in the log of the nodes. */
function logged(run: Run): string[] {
	const lines = run("journalctl --unit='animal-store*' --output=cat --no-pager").split("\n");
	return lines.filter((line) => /"level":"(error|fatal)"/.test(line));
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
		// A name in parentheses is systemd itself, before it has started the program.
		return failed.filter((line) => /= -1 (EPERM|EAFNOSUPPORT) /.test(line) && !/^\d+<\(/.test(line));
	};
}
