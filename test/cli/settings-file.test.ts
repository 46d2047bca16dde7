// The settings file (--env-file): which commands read it, what overrides it, and which files are refused.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { readConnection } from "../../src/cli/connection.ts";
import { readEnvFile } from "../../src/cli/env-file.ts";
import { readConfig } from "../../src/config.ts";
import { oldTools } from "../support/machine.ts";
import { programOf, refusals, runProgram } from "../support/program.ts";
import { temporaryFolder, testService } from "../support/service.ts";

test("a flag overrides the environment, which overrides the settings file; config says which", async (context) => {
	const folder = temporaryFolder(context);
	const [file, secret] = [join(folder, "settings"), join(folder, "url")];
	writeFileSync(secret, "sqlite:/srv/animals.db\n");
	writeFileSync(file, `HOST=::1\nPORT=1\nOPS_PORT=2\nDATABASE_URL_FILE='${secret}'\nANIMAL_STORE_KEY=k\n`);
	for (const parameters of [
		["--env-file", file, "config", "--port", "3"],
		["config", "--port", "3", `--env-file=${file}`],
	]) {
		const environment = { PORT: "4", OPS_PORT: "5", HOST: "" };
		const { stdout } = await runProgram([...parameters, "--json"], { environment });
		const shown = (JSON.parse(stdout) as { name: string; value: string; from: string }[]).slice(0, 8);
		const set = shown.filter(({ from }) => from !== "default");
		assert.deepEqual(set, [
			{ name: "HOST", value: "::1", from: `file ${file}` },
			{ name: "PORT", value: "3", from: "flag" },
			{ name: "OPS_PORT", value: "5", from: "environment" },
			{ name: "DATABASE_URL", value: "sqlite:/srv/animals.db", from: `file ${secret}` },
		]);
	}
	const given = readEnvFile(file);
	assert.equal(readConfig({ DATABASE_URL: "sqlite:a.db" }, {}, given).databaseUrl, "sqlite:a.db");
	assert.equal(readConnection({}, {}, given).key, "k");
	assert.equal(readConnection({}, { ANIMAL_STORE_KEY: "e" }, given).key, "e");
	assert.equal(readConnection({ key: "f" }, { ANIMAL_STORE_KEY: "e" }, given).key, "f");
	const [wrongUrl, missingKey, ...others] = refusals(() => readConnection({ url: "x" }, {}));
	assert.match(wrongUrl ?? "", /^--url must be the http or https URL of a service/);
	assert.match(missingKey ?? "", /^ANIMAL_STORE_KEY is required and must be an API key/);
	assert.deepEqual(others, []);
});

test("all commands read the settings file, named before or after the command", async (context) => {
	const { url, key } = await testService(context);
	const folder = temporaryFolder(context);
	const file = join(folder, "settings");
	const store = `sqlite:${join(folder, "a&b animals.db")}`;
	writeFileSync(file, `DATABASE_URL="${store}"\nANIMAL_STORE_URL=${url}\nANIMAL_STORE_KEY=${key}\n`);
	const created = await runProgram(["--env-file", file, "keys", "create", "--name", "a"], { folder });
	assert.match(created.stderr, new RegExp(`^in ${store}$`, "m"));
	const keys = await runProgram(["keys", "list", "--json", "--env-file", file], { folder });
	const [{ id }] = JSON.parse(keys.stdout);
	assert.equal(keys.stderr, "");
	const revoked = await runProgram(["--env-file", file, "keys", "revoke", id], { folder });
	assert.deepEqual([revoked.code, revoked.stderr], [0, `${id} is revoked\nin ${store}\n`]);
	const pet = await runProgram(["pets", "create", "--name", "Rex", "--category-id", "1", "--env-file", file]);
	assert.deepEqual([pet.code, pet.stdout], [0, "id  categoryId  status  name\n 1           1  -       Rex\n"]);
});

test("an older Node leaves the settings file to the command, which says why it cannot be read", (context) => {
	const file = join(temporaryFolder(context), "settings");
	// With `--`, Node 20 does not read --env-file itself. Node 18 never does.
	const { stderr } = spawnSync(oldTools.node, ["--", programOf(), "config", "--env-file", file], { encoding: "utf8" });
	assert.equal(stderr, `animal-store: --env-file names ${file}, which does not exist\n`);
});

test("a settings file that cannot be read, or has unknown names, is refused", async (context) => {
	const folder = temporaryFolder(context);
	const file = join(folder, "settings");
	const problemsIn = (content: string | Buffer) => {
		writeFileSync(file, content);
		return refusals(() => readConfig({}, {}, readEnvFile(file)));
	};
	assert.deepEqual(problemsIn(Buffer.from("HOST=a\xff", "latin1")), [`--env-file names ${file}, which is not UTF-8`]);
	assert.deepEqual(problemsIn("PORT=1\nLOGLEVEL=info\nNODE_OPTIONS=-r\n\nOPS_PORT"), [
		`line 2 of ${file} names LOGLEVEL, which is not a setting: use LOG_LEVEL`,
		`line 3 of ${file} names NODE_OPTIONS, which is not a setting: animal-store config lists them`,
		`line 5 of ${file} must be NAME=value, without blanks around the =, or a comment`,
	]);
	assert.deepEqual(problemsIn("\nPORT=x"), [
		`PORT (line 2 of ${file}) must be an integer from 0 to 65535, where 0 picks a free port`,
	]);
	assert.deepEqual(problemsIn(`API_KEY=a\nAPI_KEY_FILE=${file}`), [
		"API_KEY and API_KEY_FILE are both set: unset one of them",
		`API_KEY (line 1 of ${file}) must be a complete key of this service; animal-store keys generate prints one`,
	]);
	for (const [path, reason] of [
		[`${file}/x`, "cannot be read (ENOTDIR)"],
		[`${folder}/none`, "does not exist"],
		[folder, "is not a regular file"],
		["/dev/null", "is not a regular file"],
	] as const)
		assert.throws(() => readEnvFile(path), { message: `--env-file names ${path}, which ${reason}` });
	const store = join(folder, "animals.db");
	writeFileSync(file, `DATABASE_URL=sqlite:${store}\nPORT`);
	// If the file is missing, Node itself refuses to start, with the exit code 9.
	for (const path of [file, `${folder}/none`]) {
		const { code, stdout, stderr } = await runProgram(["keys", "create", "--name", "a", "--env-file", path], {
			folder,
		});
		assert.deepEqual([code === 0, stdout], [false, ""]);
		assert.match(stderr, new RegExp(`(line 2 of ${path}|${path}: not found)`));
	}
	assert.deepEqual(readdirSync(folder), ["settings"], "no store was created");
});
