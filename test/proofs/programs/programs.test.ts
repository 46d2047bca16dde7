// Runs the programs of docs/programs and the code samples of the OpenAPI document, unchanged, in each language. The
// programs run over a connection that loses a reply, and exceed their key's rate limit. A popular generator makes a client
// from the document; `npm run prove -- --only programs --all` tries more languages and tools.

import assert from "node:assert/strict";
import { execFile, spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { compile } from "../../../client/build.ts";
import { type CodeSample, codeSamples } from "../../../openapi/code-samples.ts";
import type { OperationName } from "../../../src/contract/operations.ts";
import { createKey } from "../../../src/keys/issue.ts";
import { checkout, read } from "../../support/checkout.ts";
import { blocksOf } from "../../support/document-blocks.ts";
import { compilePrograms, installedClient } from "../../support/installed-client.ts";
import { create, type TestService, temporaryFolder, testService } from "../../support/service.ts";
import { readPets } from "../../support/store-reads.ts";
import { cutting } from "../../support/tcp-proxy.ts";
import { proofTestLimitMs } from "../../support/until.ts";
import { linesOf, seeds } from "./tools.ts";

const run = promisify(execFile);
const folder = installedClient();
const programs = new URL("../../../docs/programs/", import.meta.url);
const readProgram = (extension: string) => readFileSync(new URL(`program.${extension}`, programs), "utf8");

interface Language {
	extension: "sh" | "ts" | "py" | "go";
	/** The command that runs a file. */
	command: string[];
}

/** The first line that a program prints; undefined if the program fails. */
function output(program: string, ...parameters: string[]): string | undefined {
	const { status, stdout } = spawnSync(program, parameters, { encoding: "utf8" });
	return status === 0 ? stdout.split(/\r?\n/)[0] : undefined;
}

/** The path of the interpreter itself, because a shim may need variables that the programs do not get here. */
const python = output("python3", "-c", "import sys; print(sys.executable)") ?? "python3";

const languages: Record<CodeSample["label"], Language> = {
	curl: { extension: "sh", command: ["sh"] },
	TypeScript: { extension: "ts", command: [process.execPath] },
	Python: { extension: "py", command: [python] },
	Go: { extension: "go", command: ["go", "run"] },
};

/** The machine's build cache, because Go needs most of a minute to compile its standard library again. */
const goCache = output("go", "env", "GOCACHE");

/** Runs a program in the folder in which the client is installed, with only the variables that the program needs. */
async function runProgram({ extension, command }: Language, text: string, { url, key }: { url: string; key: string }) {
	const file = join(mkdtempSync(join(folder, "program-")), `program.${extension}`);
	writeFileSync(file, text);
	const [program = "", ...parameters] = [...command, file];
	const goHome = { GOCACHE: goCache, GOPATH: join(folder, "go"), GOFLAGS: "-mod=mod -modcacherw" };
	const env = { PATH: process.env["PATH"], HOME: folder, CGO_ENABLED: "0", GOTOOLCHAIN: "local", ...goHome };
	const service = { ANIMAL_STORE_URL: url, ANIMAL_STORE_KEY: key };
	return (
		await run(program, parameters, {
			env: { ...env, ...service },
			cwd: folder,
			timeout: proofTestLimitMs,
			killSignal: "SIGKILL",
		})
	).stdout;
}

async function fill({ store }: TestService, count: number): Promise<void> {
	const newPet = { name: "Max", categoryId: 1n, status: "available" } as const;
	await Promise.all(Array.from({ length: count }, () => store.createPet(newPet, undefined)));
}

for (const [name, language] of Object.entries(languages)) {
	test(`the ${name} program creates one animal despite a lost reply and an exceeded rate`, {
		timeout: proofTestLimitMs, // Compilers of several languages run.
	}, async (context) => {
		const service = await testService(context);
		await fill(service, 230);
		const { key } = await createKey(service.issuer, { name, scopes: ["pets:read", "pets:write"], rate: "3/2s" });
		const url = await cutting(context, service.port, 1);
		const printed = await runProgram(language, readProgram(language.extension), { url, key });
		const [added, read, refused] = printed.split("\n");
		assert.match(added ?? "", /^added .*Rex.*9223372036854775807/);
		assert.equal(read, "read 231 animals");
		assert.match(refused ?? "", /^refused with .*invalid_body/);
		const creates = service.log.filter((line) => line["http.response.status_code"] === 201);
		assert.equal(creates.length, 2, "the first reply was lost, and the create was repeated");
		assert.ok(service.log.some((line) => line["http.response.status_code"] === 429));
		const rex = await readPets(service.store, { after: 230n, limit: 100 });
		assert.deepEqual(rex, [{ id: 231n, name: "Rex", categoryId: 9223372036854775807n, status: "available" }]);
	});
}

for (const [name, language] of Object.entries(languages)) {
	test(`the ${name} code sample of each operation runs`, {
		timeout: proofTestLimitMs, // Compilers of several languages run.
	}, async (context) => {
		const service = await testService(context);
		await fill(service, 1);
		const expected: Record<OperationName, RegExp> = { listPets: /1.*Max/, createPet: /2.*Rex/, getPet: /1.*Max/ };
		for (const [operation, samples] of Object.entries(codeSamples) as [OperationName, CodeSample[]][]) {
			const sample = samples.find(({ label }) => label === name);
			assert.match(await runProgram(language, sample?.source ?? "", service), expected[operation]);
		}
	});
}

test("the TypeScript program, the samples and the client's README pass a strict compiler", () => {
	const samples = Object.values(codeSamples).flatMap((all) => all.filter(({ lang }) => lang === "TypeScript"));
	const readme = blocksOf(read("client/README.md"), "ts");
	assert.equal(readme.length, 11);
	compilePrograms(folder, [readProgram("ts"), ...samples.map(({ source }) => source), ...readme]);
});

const modules = join(checkout, "test/node_modules");
/** The generator has a separate folder of packages because it needs TypeScript 5. */
const generator = join(checkout, "test/generators/node_modules/openapi-typescript/bin/cli.js");

const settings = {
	compilerOptions: {
		...{ target: "es2024", module: "nodenext", strict: true, rewriteRelativeImportExtensions: true },
		...{ types: ["node"], typeRoots: [join(modules, "@types")], rootDir: "source", outDir: "compiled" },
	},
	include: ["source"],
};

test("openapi-typescript, openapi-fetch: the types compile, and the client does everything live", {
	timeout: proofTestLimitMs, // The test runs a generator and a compiler.
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
	copyFileSync(join(import.meta.dirname, "clients", "openapi-fetch.ts"), join(folder, "source", "main.ts"));
	compile("-p", folder);
	const env = { ...process.env, ANIMAL_STORE_URL: `${service.url}/v1`, ANIMAL_STORE_KEY: service.key };
	const { stdout } = await run(process.execPath, [join(folder, "compiled", "main.js")], { env });
	assert.deepEqual(stdout.trim().split("\n"), linesOf("rounded"));
});
