// The image is built and run without Docker.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { chownSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { buildImage, type Container, ready, serveEmbedded, startIn, use } from "../../support/image.ts";
import { freePort } from "../../support/postgres-server.ts";
import { newDatabase, type Trial } from "../../support/proof.ts";
import { until } from "../../support/until.ts";

/** Builds the image and serves both engines with it, as a user that may write nothing; SIGTERM stops it. */
export async function proveImage(trial: Trial) {
	const { base, container } = buildImage(trial);
	const made = container();
	assert.equal(made.config.User, "1000:1000");
	await serveEmbedded(made, trial);
	const { environment, key } = await newDatabase(trial);
	const postgresql = await serveClosed(made, trial, environment.DATABASE_URL, key);
	const embedded = await serveClosed(made, trial);
	const appMb = Number(execFileSync("du", ["-sm", join(made.place, "app")], { encoding: "utf8" }).split("\t")[0]);
	return { base: base.says, appMb, postgresql, embedded };
}

/**
 * Runs the image like deploy/kubernetes, with a read-only file system and no privileges. `databaseUrl` is passed in a
 * file. Without it, the embedded store and its backups are on volumes.
 */
async function serveClosed({ place, config }: Container, trial: Trial, databaseUrl?: string, key?: string) {
	const ports = { PORT: String(await freePort()), OPS_PORT: String(await freePort()) };
	const volumes = join(trial.folder, `volumes-${ports.PORT}`);
	for (const path of [join(place, "run/secrets"), join(place, "backups"), volumes])
		mkdirSync(path, { recursive: true });
	writeFileSync(join(place, "run/secrets/database-url"), `${databaseUrl}\n`);
	const [user = "", group = ""] = config.User.split(":");
	for (const name of ["data", "backups"]) {
		mkdirSync(join(volumes, name));
		chownSync(join(volumes, name), Number(user), Number(group));
	}
	const store = databaseUrl ? { DATABASE_URL_FILE: "/run/secrets/database-url" } : { BACKUP_TO: "/backups" };
	const variables = Object.entries({ ...ports, ...store }).map(([name, value]) => `${name}=${value}`);
	const env = ["env", "-i", ...config.Env, ...variables];
	const ids = `--reuid ${user} --regid ${group} --clear-groups`;
	const drop = `setpriv ${ids} --bounding-set -all --no-new-privs`.split(" ");
	const closed = `mount --bind "$1" "$1"; mount -t proc proc "$1/proc"; mount --rbind /dev "$1/dev"
		mount --bind "$2/data" "$1/app/data"; mount --bind "$2/backups" "$1/backups"
		mount -o remount,bind,ro "$1"; ! touch "$1/app/x" 2>/dev/null || exit 9
		root=$1; shift 2; exec chroot "$root" "$@"`;
	const inside = [...drop, ...env, "sh", "-c", 'cd /app; exec "$@"', "-", ...config.Entrypoint];
	const mounted = ["--mount", "bash", "-euc", closed, "-", place, volumes, ...inside];
	const create = [...mounted, "keys", "create", "--name", "proof"];
	key ??= execFileSync("unshare", create, { encoding: "utf8", stdio: "pipe" }).trim();
	const startedAtMs = performance.now();
	const running = startIn(ports.PORT, "unshare", [...mounted, ...config.Cmd], trial);
	await ready(ports.OPS_PORT);
	const startMs = Math.round(performance.now() - startedAtMs);
	const memoryMb = running.memoryMb();
	await use(ports.PORT, key);
	const backups = () => readdirSync(join(volumes, "backups"), { recursive: true, encoding: "utf8" });
	if (!databaseUrl) await until("a backup", () => backups().some((name) => name.endsWith(".db")));
	await running.stop();
	const engine = databaseUrl ? "PostgreSQL" : "an embedded store";
	trial.say(`it serves ${engine} without privileges, from a read-only file system`);
	return { startMs, memoryMb };
}
