// The image, built by buildah without Docker: its containers are processes of this machine with their own root folder.

import assert from "node:assert/strict";
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync, cpSync, readdirSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { ask } from "./caller.ts";
import { checkout, read } from "./checkout.ts";
import { isServing } from "./listen.ts";
import { freePort } from "./postgres-server.ts";
import { linux, type Need, program, root, type Trial } from "./proof.ts";
import { until } from "./until.ts";

const image = "animal-store";
const arch = process.arch === "x64" ? "amd64" : process.arch;

export const imageNeeds: Need[] = [linux, root, program("buildah"), program("debootstrap"), program("npm")];
export const imageOptions = { mirror: { default: "http://deb.debian.org/debian", text: "the mirror of Debian" } };

type Place = Pick<Trial, "folder" | "option" | "after" | "say">;

interface ImageConfig {
	User: string;
	Env: string[];
	Entrypoint: string[];
	Cmd: string[];
	StopSignal: string;
	Healthcheck: { Test: string[] };
}

/** Builds the image of deploy/Dockerfile. */
export function buildImage(trial: Place, platforms = [`linux/${arch}`]) {
	const buildah = buildahIn(trial);
	const base = findBase(buildah, trial);
	const certificates = process.env["NODE_EXTRA_CA_CERTS"];
	const secret = certificates ? ["--secret", `id=certificates,src=${certificates}`] : [];
	const flags = ["--format", "docker", "--isolation", "chroot", ...secret];
	const target = ["--layers", "--platform", platforms.join(), "--manifest", image];
	const source = ["--build-arg", `NODE_IMAGE=${base.name}`, "--file", join(checkout, "deploy/Dockerfile"), checkout];
	buildah(["bud", ...flags, ...target, ...source]);
	trial.say("the image is built");
	return {
		base,
		/** Writes the images of all platforms as they are sent to a registry. */
		save: (folder: string) => buildah(["manifest", "push", "--all", "--format", "v2s2", image, `dir:${folder}`]),
		/** A container of an image or of a saved image. */
		container(from = image): Container {
			const name = from.startsWith("dir:") ? buildah(["pull", "--quiet", from]).trim() : from;
			const container = buildah(["from", name]).trim();
			const { config } = JSON.parse(buildah(["inspect", "--type", "image", name])).Docker as { config: ImageConfig };
			return { buildah, container, config, place: buildah(["mount", container]).trim() };
		},
	};
}

type Buildah = ((parameters: string[]) => string) & { storage: string[] };

/** buildah with its images and containers in the proof's folder. */
function buildahIn({ folder, after }: Place): Buildah {
	chmodSync(folder, 0o755);
	const folders = ["--root", join(folder, "storage"), "--runroot", join(folder, "runroot")];
	const storage = [...folders, "--storage-driver", "overlay"];
	const run = (parameters: string[]) => {
		const { status, stdout, stderr, error } = spawnSync("buildah", [...storage, ...parameters], {
			encoding: "utf8",
			maxBuffer: 2 ** 26,
		});
		if (error) throw error;
		if (status !== 0) throw new Error(`buildah ${parameters[0]} failed: ${stdout.slice(-2000)}${stderr.slice(-2000)}`);
		return stdout;
	};
	after(() => execFileSync("umount", ["--recursive", "--lazy", join(folder, "storage/overlay")]));
	return Object.assign(run, { storage });
}

/** The base image of the Dockerfile or, if it cannot be pulled, a new Debian with this machine's Node and npm. */
function findBase(buildah: Buildah, { folder, option, say }: Place) {
	const [, name = ""] = /^ARG NODE_IMAGE=(\S+)$/m.exec(read("deploy/Dockerfile")) ?? [];
	try {
		buildah(["pull", name]);
		return { name, says: name, isOfficial: true };
	} catch (error) {
		say(`${name} cannot be pulled: ${(error as Error).message.trim().split("\n").at(-1)}`);
	}
	const debian = join(folder, "debian");
	execFileSync("debootstrap", ["--variant=minbase", "bookworm", debian, option("mirror")], { stdio: "pipe" });
	cpSync(realpathSync(process.execPath), join(debian, "usr/local/bin/node"));
	const found = execFileSync("sh", ["-c", "command -v npm"], { encoding: "utf8" }).trim();
	const npm = dirname(dirname(realpathSync(found)));
	cpSync(npm, join(debian, "usr/local/lib/npm"), { recursive: true });
	const script = '#!/bin/sh\nexec node /usr/local/lib/npm/bin/npm-cli.js "$@"\n';
	writeFileSync(join(debian, "usr/local/bin/npm"), script, { mode: 0o755 });
	execFileSync("chroot", [debian, "useradd", "--uid", "1000", "--create-home", "node"]);
	buildah(["manifest", "create", "localhost/stand-in"]);
	const path = ["--env", "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"];
	// Nothing in the other platform's image is executed, so it may have the same files.
	for (const platform of ["amd64", "arm64"]) {
		const container = buildah(["from", "scratch"]).trim();
		buildah(["copy", "--quiet", container, debian, "/"]);
		buildah(["config", "--arch", platform, ...path, container]);
		buildah(["commit", "--quiet", "--manifest", "localhost/stand-in", container]);
	}
	const { version } = JSON.parse(readFileSync(join(npm, "package.json"), "utf8"));
	const says = `a stand-in: Debian 12 by debootstrap, Node ${process.versions.node}, npm ${version}`;
	say(`the base image is ${says}`);
	return { name: "localhost/stand-in", says, isOfficial: false };
}

export interface Container {
	buildah: Buildah;
	container: string;
	/** The folder of the container's files. */
	place: string;
	config: ImageConfig;
}

/** Serves the embedded store with the image's user, variables and command, like `docker run`. */
export async function serveEmbedded(
	{ buildah, container, config }: Container,
	trial: Pick<Trial, "after" | "say">,
): Promise<void> {
	const ports = { PORT: String(await freePort()), OPS_PORT: String(await freePort()) };
	const variables = Object.entries(ports).flatMap(([name, value]) => ["--env", `${name}=${value}`]);
	const parameters = (...more: string[]) => ["run", "--isolation", "chroot", ...variables, container, "--", ...more];
	const start = [...config.Entrypoint, ...config.Cmd, "--first-key"];
	const running = startIn(ports.PORT, "buildah", [...buildah.storage, ...parameters(...start)], trial);
	const [kind, ...healthcheck] = config.Healthcheck.Test;
	assert.equal(kind, "CMD");
	const withoutNode = parameters("env", "OPS_PORT=1", ...healthcheck);
	assert.throws(() => buildah(withoutNode), "the health check fails without a node");
	await ready(ports.OPS_PORT);
	buildah(parameters(...healthcheck));
	const key = await until("the first key", () => /pets_\w{49}/.exec(running.output())?.[0]);
	await use(ports.PORT, key);
	await running.stop();
	trial.say("it serves an embedded store as the image's user, and stops on SIGTERM");
}

/**
 * Starts the service in a container. `memoryMb` is the service's resident memory. `stop` sends SIGTERM to the service,
 * and asserts that the container exits with 0.
 */
export function startIn(port: string, program: string, parameters: string[], { after }: Pick<Trial, "after">) {
	const child = spawn(program, parameters, { stdio: ["ignore", "pipe", "pipe"] });
	let output = "";
	for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", (text) => (output += text));
	const ended = once(child, "close");
	after(() => {
		child.kill("SIGKILL");
		for (const pid of servicesWith(port)) process.kill(pid, "SIGKILL");
	});
	const stop = async () => {
		const pids = servicesWith(port);
		assert.equal(pids.length, 1, output);
		const [pid = 0] = pids;
		const status = readFileSync(`/proc/${pid}/status`, "utf8");
		assert.match(status, /^Uid:\t1000\t1000\t1000\t1000$/m, "the service does not run as root");
		assert.match(status, /^CapEff:\t0+$/m);
		process.kill(pid, "SIGTERM");
		assert.deepEqual(await ended, [0, null], output);
	};
	const memoryMb = () => {
		const status = readFileSync(`/proc/${servicesWith(port)[0]}/status`, "utf8");
		return Math.round(Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1]) / 1024);
	};
	return { memoryMb, output: () => output, stop };
}

/** The ids of the service's processes with this public port. */
function servicesWith(port: string): number[] {
	const read = (pid: string, file: string) => {
		try {
			return readFileSync(`/proc/${pid}/${file}`, "utf8");
		} catch {
			return ""; // The process has ended.
		}
	};
	const isService = (pid: string) =>
		/^(\S*\/)?node(\0--[^\0]+)*\0bin\/animal-store\.js\0serve\0(--first-key\0)?$/.test(read(pid, "cmdline")) &&
		read(pid, "environ").split("\0").includes(`PORT=${port}`);
	return readdirSync("/proc")
		.filter((name) => /^\d+$/.test(name) && isService(name))
		.map(Number);
}

export const ready = (port: string) =>
	until("the service to be ready", () => isServing(`http://127.0.0.1:${port}/readyz`));

/** Sends a create, its retry, a list, and a request without a key. */
export async function use(port: string, key: string): Promise<void> {
	const url = `http://127.0.0.1:${port}/v1/pets`;
	for (const _ of ["create", "retry"]) {
		const headers = { "idempotency-key": "proof" };
		const reply = await ask(url, { key, headers, body: { name: "Rex", categoryId: 1 } });
		assert.equal(reply.status, 201, reply.body);
	}
	const listed = await ask(url, { key });
	assert.deepEqual(JSON.parse(listed.body), [{ id: 1, name: "Rex", categoryId: 1 }]);
	assert.equal((await ask(url)).status, 401);
	assert.equal((await ask(`http://127.0.0.1:${port}/console`)).status, 200, "the console is built");
}
