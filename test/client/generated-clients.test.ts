// A popular generator makes a client from the OpenAPI document; it is compiled and run against the live service.
// `npm run prove -- --only clients` tries more languages and tools.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { copyFileSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { compile } from "../../client/build.ts";
import { create, temporaryFolder, testService } from "../support/service.ts";
import { slowMs } from "../support/until.ts";
import { linesOf, seeds } from "./tools.ts";

const run = promisify(execFile);
const modules = join(import.meta.dirname, "../node_modules");
/** The generator has a separate folder of packages because it needs TypeScript 5. */
const generator = join(import.meta.dirname, "../generators/node_modules/openapi-typescript/bin/cli.js");

const settings = {
	compilerOptions: {
		...{ target: "es2024", module: "nodenext", strict: true, rewriteRelativeImportExtensions: true },
		...{ types: ["node"], typeRoots: [join(modules, "@types")], rootDir: "source", outDir: "compiled" },
	},
	include: ["source"],
};

test("openapi-typescript, openapi-fetch: the types compile, and the client does everything live", {
	timeout: slowMs, // The test runs a generator and a compiler.
}, async (context) => {
	const service = await testService(context);
	for (const pet of seeds) await service.send(create(pet));
	const folder = temporaryFolder(context);
	mkdirSync(join(folder, "source"));
	symlinkSync(modules, join(folder, "node_modules"));
	writeFileSync(join(folder, "package.json"), '{"type":"module"}');
	writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(settings));
	writeFileSync(join(folder, "openapi.json"), (await service.send({ path: "/openapi.json" })).body);
	await run(process.execPath, [generator, "openapi.json", "--output", "source/schema.ts"], { cwd: folder });
	copyFileSync(join(import.meta.dirname, "programs", "openapi-fetch.ts"), join(folder, "source", "main.ts"));
	compile("-p", folder);
	const env = { ...process.env, ANIMAL_STORE_URL: `${service.url}/v1`, ANIMAL_STORE_KEY: service.key };
	const { stdout } = await run(process.execPath, [join(folder, "compiled", "main.js")], { env });
	assert.deepEqual(stdout.trim().split("\n"), linesOf("rounded"));
});
