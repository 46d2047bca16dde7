// The programs of docs/programs in each language, and the client in other runtimes. With `--all`, other people's tools
// read the OpenAPI document: generated clients call the live service, and linters check it.

import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ask, callerOf } from "../support/caller.ts";
import { startProgram } from "../support/program.ts";
import { newStore, type Proof, program, type Trial } from "../support/proof.ts";
import { runTestsOf } from "../support/test-run.ts";
import { linesOf, run, seeds, type Tool, tools } from "./programs/tools.ts";

export const proof: Proof = {
	shows:
		"the documented programs and samples work with curl, TypeScript, Python and Go, and the client in each Node; " +
		"with --all, other people's generators and linters accept the published document, and the generated clients work",
	needs: [program("curl"), program("python3", "python3-requests"), program("go", "golang-go")],
	isOfCheckout: true,
	options: {
		all: { text: `also tries these tools: ${tools.map(({ name }) => name).join(", ")}` },
		tools: { default: "", text: "with --all, only these tools, separated by commas" },
	},
	async prove(trial) {
		const tests = await runTestsOf("programs", trial.say);
		return trial.option("all") ? { tests, passed: await tryTools(trial) } : { tests };
	},
};

/** @returns the names of the tools, all of which passed */
async function tryTools(trial: Trial): Promise<string[]> {
	const named = trial.option("tools").split(",").filter(Boolean);
	const unknown = named.filter((name) => !tools.some((tool) => tool.name === name));
	assert.deepEqual(unknown, [], "there are no such tools");
	const chosen = named.length > 0 ? tools.filter(({ name }) => named.includes(name)) : tools;
	for (const tool of chosen) {
		await tryTool(tool, trial);
		trial.say(`${tool.name} ${tool.version} passed`);
	}
	return chosen.map(({ name, version }) => `${name} ${version}`);
}

async function tryTool(tool: Tool, trial: Trial): Promise<void> {
	for (const { text, isMet } of tool.needs) assert.ok(isMet(), `this machine lacks ${text}`);
	const { environment, key } = await newStore(tool.name, trial.folder);
	const service = await startProgram(trial, environment);
	const { create } = callerOf(service.url, key);
	for (const pet of seeds) assert.equal((await create(pet)).status, 201);
	const folder = join(trial.folder, tool.name);
	mkdirSync(folder);
	const document = join(folder, "openapi.json");
	writeFileSync(document, (await ask(`${service.url}/openapi.json`)).body);
	const command = await tool.make({ folder, document });
	const toService = { ANIMAL_STORE_URL: `${service.url}/v1`, ANIMAL_STORE_KEY: key };
	const printed = await run(command.program, command.parameters, command.folder, toService);
	if (tool.integers) assert.deepEqual(printed.trim().split("\n"), linesOf(tool.integers));
	assert.equal((await service.stop()).code, 0);
}
