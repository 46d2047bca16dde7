// The image is built and run without Docker.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
	buildImage,
	type Container,
	imageNeeds,
	imageOptions,
	ready,
	serveEmbedded,
	startIn,
	use,
} from "../support/image.ts";
import { freePort } from "../support/postgres-server.ts";
import { newDatabase, type Proof, type Trial } from "../support/proof.ts";

export const proof: Proof = {
	shows: "the image is built without Docker, serves as a user that may write nothing, and stops on SIGTERM",
	needs: imageNeeds,
	options: imageOptions,
	async prove(trial) {
		const { base, container } = buildImage(trial);
		const made = container();
		assert.equal(made.config.User, "1000:1000");
		await serveEmbedded(made, trial);
		await serveClosed(made, trial);
		const megabytes = Number(execFileSync("du", ["-sm", join(made.place, "app")], { encoding: "utf8" }).split("\t")[0]);
		return { base: base.says, appMegabytes: megabytes, isOfficialBase: base.isOfficial };
	},
};

/** Like deploy/kubernetes: a read-only file system, no privileges, and the address of PostgreSQL in a file. */
async function serveClosed({ place, config }: Container, trial: Trial): Promise<void> {
	const { environment, key } = await newDatabase(trial);
	const ports = { PORT: String(await freePort()), OPS_PORT: String(await freePort()) };
	mkdirSync(join(place, "run/secrets"), { recursive: true });
	writeFileSync(join(place, "run/secrets/database-url"), `${environment.DATABASE_URL}\n`);
	const variables = { ...ports, DATABASE_URL_FILE: "/run/secrets/database-url" };
	const env = ["env", "-i", ...config.Env, ...Object.entries(variables).map(([name, value]) => `${name}=${value}`)];
	const [user = ""] = config.User.split(":");
	const ids = `--reuid ${user} --regid ${user} --clear-groups`;
	const drop = `setpriv ${ids} --bounding-set -all --no-new-privs`.split(" ");
	const closed = `mount --bind "$1" "$1"; mount -t proc proc "$1/proc"; mount --rbind /dev "$1/dev"
		mount -o remount,bind,ro "$1"; ! touch "$1/app/x" 2>/dev/null || exit 9
		root=$1; shift; exec chroot "$root" "$@"`;
	const command = [...drop, ...env, "sh", "-c", 'cd /app; exec "$@"', "-", ...config.Entrypoint, ...config.Cmd];
	const running = startIn(ports.PORT, "unshare", ["--mount", "bash", "-euc", closed, "-", place, ...command], trial);
	await ready(ports.OPS_PORT);
	await use(ports.PORT, key);
	await running.stop();
	trial.say("it serves from a file system that it cannot write, without privileges");
}
