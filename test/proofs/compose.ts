// The database and the image of deploy/compose.yaml without Docker. The scripts of the database run on Debian's
// PostgreSQL, called as the images call them: the nodes' role has no privileges, the standby loses nothing, and the dumps
// can be restored.

import assert from "node:assert/strict";
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { appendFileSync, chmodSync, cpSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { imageNeeds, imageOptions } from "../support/image.ts";
import { listAll } from "../support/ledger.ts";
import { startSteadyLoad } from "../support/mixed-load.ts";
import { asServer, freePort, serverFolder } from "../support/postgres-server.ts";
import { startProgram } from "../support/program.ts";
import { type Proof, type Trial, withKey } from "../support/proof.ts";
import { runSql } from "../support/sql.ts";
import { succeeds, until } from "../support/until.ts";
import { proveImage } from "./compose/image.ts";
import { bin, postgresTools } from "./pg-backup.ts";

const scripts = fileURLToPath(new URL("../../deploy/postgres", import.meta.url));
const passwords = { POSTGRES_PASSWORD: "p0", ANIMALS_PASSWORD: "a1", STANDBY_PASSWORD: "s2" };

export const proof: Proof = {
	shows:
		"deploy/compose.yaml: its database has a role without privileges, a standby that loses nothing and usable dumps; " +
		"the image is built without Docker, serves as a user that may write nothing, and stops on SIGTERM",
	needs: [...imageNeeds, postgresTools],
	options: imageOptions,
	prove: async (trial) => ({ database: await proveDatabase(trial), image: await proveImage(trial) }),
};

async function proveDatabase(trial: Trial) {
	const machine = newMachine(trial);
	const primary = await startPrimary(machine);
	const standby = await startStandby(machine, primary.port);
	const admin = (port: number) => `postgres://postgres:${passwords.POSTGRES_PASSWORD}@127.0.0.1:${port}/postgres`;
	const animals = (port: number, database = "animals") =>
		`postgres://animals:${passwords.ANIMALS_PASSWORD}@127.0.0.1:${port}/${database}`;
	await until("a synchronous standby", async () => {
		const [row] = await runSql(admin(primary.port), "SELECT sync_state FROM pg_stat_replication");
		return row?.["sync_state"] === "sync";
	});
	const privileges = "rolsuper OR rolcreatedb OR rolcreaterole OR rolreplication OR rolbypassrls";
	const read = `SELECT ${privileges} AS any FROM pg_roles WHERE rolname = 'animals'`;
	assert.deepEqual(await runSql(admin(primary.port), read), [{ any: false }]);
	await assert.rejects(runSql(animals(primary.port, "postgres"), "CREATE TABLE x (id int)"), /permission denied/);

	const { environment, key } = await withKey(animals(primary.port));
	const node = await startProgram(trial, environment);
	const load = startSteadyLoad([node.url], key);
	await load.acknowledges(500);
	const dump = await firstDump(machine, environment.DATABASE_URL);
	await load.stop();
	node.process.kill("SIGKILL");
	trial.say(`a node with a plain role created ${load.ledger.acknowledged.size} animals`);

	await runSql(admin(primary.port), "CREATE DATABASE restored OWNER animals");
	machine.run(`pg_restore --exit-on-error --dbname="${animals(primary.port, "restored")}" "${dump}"`);
	const dumped = await startProgram(trial, { DATABASE_URL: animals(primary.port, "restored") });
	const restored = await listAll(dumped.url, key);
	assert.ok(restored.length > 0, "animals from the dump");
	dumped.process.kill("SIGKILL");

	primary.process.kill("SIGQUIT");
	machine.run(`pg_ctl promote --silent --wait -D "${standby.data}"`);
	await runSql(admin(standby.port), "ALTER SYSTEM RESET synchronous_standby_names");
	await runSql(admin(standby.port), "SELECT pg_reload_conf()");
	const promoted = await until("a node on the standby", () =>
		startProgram(trial, { DATABASE_URL: animals(standby.port) }).catch(() => undefined),
	);
	load.ledger.verify(await listAll(promoted.url, key));
	return { acknowledged: load.ledger.acknowledged.size, restored: restored.length, afterFailover: "all" };
}

type Machine = ReturnType<typeof newMachine>;

/** A folder, and functions that run commands there as a user whom PostgreSQL accepts. */
function newMachine({ folder, after }: Trial) {
	const owner = asServer();
	const place = serverFolder(folder, "database");
	cpSync(scripts, join(place, "scripts"), { recursive: true });
	const env = { PATH: `${bin}:${process.env["PATH"]}`, LC_ALL: "C.UTF-8" };
	const run = (script: string, more: Record<string, string> = {}) =>
		execFileSync("bash", ["-euc", script], { cwd: place, env: { ...env, ...more }, stdio: "pipe", ...owner });
	const start = (program: string, parameters: string[], more: Record<string, string>): ChildProcess => {
		const child = spawn(program, parameters, { cwd: place, env: { ...env, ...more }, stdio: "ignore", ...owner });
		after(async () => {
			if (child.exitCode !== null || child.signalCode !== null) return;
			const ended = once(child, "exit");
			child.kill("SIGQUIT");
			await ended;
		});
		return child;
	};
	return { place, run, start };
}

function listening(port: number, place: string): string[] {
	const settings = ["listen_addresses=127.0.0.1", `unix_socket_directories=${place}`];
	return ["-p", String(port), ...settings.flatMap((setting) => ["-c", setting])];
}

/** Does what PostgreSQL's image does: roles.sh runs while the server has only a socket; then the server restarts. */
async function startPrimary({ place, run, start }: Machine) {
	const port = await freePort();
	const data = join(place, "primary");
	writeFileSync(join(place, "password"), passwords.POSTGRES_PASSWORD);
	chmodSync(join(place, "password"), 0o644);
	const auth = "--pwfile=password --auth-local=trust --auth-host=scram-sha-256";
	run(`initdb --pgdata="${data}" --username=postgres ${auth} --no-sync`);
	appendFileSync(join(data, "pg_hba.conf"), "host all all all scram-sha-256\n");
	const flags = `-c listen_addresses= -c unix_socket_directories=${place} -p ${port}`;
	run(`pg_ctl --silent --wait -D "${data}" -l log -o "${flags}" start > /dev/null`);
	const ofImage = { POSTGRES_USER: "postgres", PGHOST: place, PGPORT: String(port), PGDATA: data };
	run("scripts/roles.sh", { ...passwords, ...ofImage });
	run(`pg_ctl --silent --wait -D "${data}" -m fast stop`);
	const server = start("postgres", ["-D", data, ...listening(port, place)], {});
	await until("the server", () => isReady(run, port), { everyMs: 100 });
	return { port, data, process: server };
}

async function startStandby({ place, run, start }: Machine, primaryPort: number) {
	const port = await freePort();
	const data = join(place, "standby");
	const PGPASSWORD = passwords.STANDBY_PASSWORD;
	const environment = { PGDATA: data, PGHOST: "127.0.0.1", PGPORT: String(primaryPort), PGPASSWORD };
	// The standby's folder exists and is empty, and an interrupted copy has left files next to it.
	run('mkdir -p "$PGDATA" "$PGDATA.new/base"', environment);
	const server = start(join(place, "scripts/standby.sh"), listening(port, place), environment);
	await until("the standby", () => isReady(run, port), { everyMs: 100 });
	return { port, data, process: server };
}

const isReady = (run: Machine["run"], port: number) =>
	succeeds(() => run(`pg_isready --quiet --host=127.0.0.1 --port=${port}`));

/**
 * Runs backup.sh until it has removed its first dump and keeps only the last two. The folder also has a dump of another
 * store and a dump that a wrong clock has dated 2099. @returns the path of the newest dump
 */
async function firstDump({ place, run, start }: Machine, databaseUrl: string): Promise<string> {
	const folder = join(place, "backups");
	const other = "animals-000000000000-20250101T000000Z.dump";
	run(`mkdir backups && touch backups/${other}`);
	const environment = { DATABASE_URL: databaseUrl, BACKUP_TO: folder, BACKUP_EVERY: "1", BACKUP_KEEP: "2" };
	const job = start(join(place, "scripts/backup.sh"), [], environment);
	const dumps = () => readdirSync(folder).filter((name) => name.endsWith(".dump") && name !== other);
	const [first = ""] = await until("a dump", () => dumps().length > 0 && dumps());
	const ahead = first.replace(/-\d{4}(?=\d{4}T)/, "-2099");
	run(`touch backups/${ahead}`);
	const areLast = () => dumps().length === 2 && !dumps().includes(first) && !dumps().includes(ahead);
	await until("only the last two to stay", areLast);
	job.kill("SIGKILL");
	assert.ok(readdirSync(folder).includes(other), "the dump of another store is kept");
	return join(folder, dumps().sort()[1] ?? "");
}
