// The first line of the README, and the packages of service and client. With `--all`, every version of Node and npm in use.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { ask } from "../support/caller.ts";
import { checkOut } from "../support/checkout.ts";
import { install, installQuietly, newMachine, nodePackage } from "../support/machine.ts";
import { linux, type Proof, program, type Trial } from "../support/proof.ts";
import { runTestsOf } from "../support/test-run.ts";

const run = promisify(execFile);

export const proof: Proof = {
	shows:
		"npm ci prints no warning and npm start serves in a clone, with npm 10 and 11; the packages of service and client " +
		"install, and have all files and types",
	needs: [linux, program("git"), program("tar")],
	isOfCheckout: true,
	options: {
		all: { text: "also tries each of these versions of Node with each version of npm" },
		node: { default: "20,22,24", text: "versions of Node" },
		npm: { default: "9,10,11,12", text: "versions of npm" },
	},
	async prove(trial) {
		const tests = await runTestsOf("install", trial.say);
		return trial.option("all") ? { tests, rows: await tryAllVersions(trial) } : { tests };
	},
};

async function tryAllVersions(trial: Trial): Promise<object[]> {
	const list = (name: string) => trial.option(name).split(",");
	const nodes = await Promise.all(list("node").map((version) => install(trial.folder, nodePackage, version)));
	const npms = await Promise.all(list("npm").map((version) => install(trial.folder, "npm", version)));
	const rows: object[] = [];
	for (const node of nodes) {
		for (const npm of npms) {
			const home = join(trial.folder, `node-${node.version}-npm-${npm.version}`);
			const folder = join(home, "animal-store");
			mkdirSync(home);
			checkOut(folder);
			const tools = { node: join(node.path, "bin/node"), npm: join(npm.path, "bin/npm-cli.js") };
			const machine = newMachine(trial, home, folder, tools);
			const lines = await installQuietly(machine);
			const service = await machine.start("npm", "start");
			assert.equal((await ask(`${service.url}/console`)).status, 200);
			// Sends the signal to all processes, as a terminal does: npm 9 neither ends on SIGTERM nor forwards it.
			await service.stop("SIGTERM", "group");
			const { stdout } = await run("du", ["-sm", join(folder, "node_modules")]);
			const row = { node: node.version, npm: npm.version, lines, mebibytes: Number.parseInt(stdout, 10) };
			trial.say(JSON.stringify(row));
			rows.push(row);
		}
	}
	return rows;
}
