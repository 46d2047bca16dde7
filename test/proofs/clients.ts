// Other people's tools read the OpenAPI document: generated clients call the live service, and linters check it.

import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { linesOf, run, seeds, type Tool, tools } from "../client/tools.ts";
import { ask, callerOf } from "../support/caller.ts";
import { startProgram } from "../support/program.ts";
import { newStore, type Proof, type Trial } from "../support/proof.ts";

export const proof: Proof = {
	shows: "other people's generators and linters accept the published document, and the generated clients work",
	options: {
		tools: { default: "", text: `only these, separated by commas: ${tools.map(({ name }) => name).join(", ")}` },
	},
	async prove(trial) {
		const named = trial.option("tools").split(",").filter(Boolean);
		for (const name of named)
			assert.ok(
				tools.some((tool) => tool.name === name),
				`there is no tool ${name}`,
			);
		const chosen = named.length > 0 ? tools.filter(({ name }) => named.includes(name)) : tools;
		const failed: string[] = [];
		const passed: string[] = [];
		for (const tool of chosen) {
			const problem = await tryTool(tool, trial).catch((error) => String(error).slice(0, 3000));
			trial.say(`${tool.name} ${tool.version}: ${problem ?? "passed"}`);
			(problem === undefined ? passed : failed).push(`${tool.name} ${tool.version}`);
		}
		assert.deepEqual(failed, [], `passed: ${passed.join(", ")}`);
		return { passed };
	},
};

/** @returns a sentence about what this machine lacks, or undefined after a success */
async function tryTool(tool: Tool, trial: Trial): Promise<string | undefined> {
	const missing = tool.needs.filter(({ isMet }) => !isMet()).map(({ text }) => text);
	if (missing.length > 0) return `this machine lacks ${missing.join(", ")}`;
	const { environment, key } = await newStore(tool.name, trial.folder);
	const service = await startProgram(trial, environment);
	const pets = `${service.url}/v1`;
	const { create } = callerOf(service.url, key);
	for (const pet of seeds) assert.equal((await create(pet)).status, 201);
	const folder = join(trial.folder, tool.name);
	mkdirSync(folder);
	const document = join(folder, "openapi.json");
	writeFileSync(document, (await ask(`${service.url}/openapi.json`)).body);
	const command = await tool.make({ folder, shared: trial.folder, document });
	const toService = { ANIMAL_STORE_URL: pets, ANIMAL_STORE_KEY: key };
	const printed = await run(command.program, command.parameters, command.folder, toService);
	if (tool.integers) assert.deepEqual(printed.trim().split("\n"), linesOf(tool.integers));
	assert.equal((await service.stop()).code, 0);
	return undefined;
}
