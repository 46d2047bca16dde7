// The settings: `animal-store config`, secrets in files, and names that were probably meant as settings.

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { ConfigError, readConfig } from "../src/config.ts";
import { keyFromRandom } from "../src/keys/key-format.ts";
import { runProgram } from "./program.ts";
import { temporaryFolder } from "./service.ts";

test("config shows each setting with its value and where it comes from, without secrets, as a table and as JSON", async () => {
	const key = keyFromRandom(Buffer.alloc(32, 5));
	const environment = {
		DATABASE_URL: "postgres://me:hidden@db1.example:5433/animals?password=hidden",
		API_KEY: key,
		RATE_LIMIT: "10/1s",
	};
	const { stdout } = await runProgram(["config", "--port", "9000"], { environment });
	for (const line of [
		/^HOST +127\.0\.0\.1 +default$/m,
		/^PORT +9000 +flag$/m,
		/^DATABASE_URL +postgres:\/\/me:\*\*\*@db1\.example:5433\/animals\?password=\*\*\* +environment$/m,
		/^BASE_URL +- +default$/m,
		/^RATE_LIMIT +10\/1s +environment$/m,
	])
		assert.match(stdout, line);
	assert.doesNotMatch(stdout, new RegExp(`hidden|${key}`));
	const { stdout: json } = await runProgram(["config", "--json"], { environment });
	const shown: { name: string; value: string; from: string }[] = JSON.parse(json);
	assert.deepEqual(
		shown.find(({ name }) => name === "API_KEY"),
		{ name: "API_KEY", value: `…${key.slice(-4)}`, from: "environment" },
	);
	assert.doesNotMatch(json, new RegExp(`hidden|${key}`));
});

test("config ends with 1 when the service would not start", async () => {
	const { code, stdout, stderr } = await runProgram(["config"], { environment: { PORT: "x" } });
	assert.deepEqual([code, stdout], [1, ""]);
	assert.match(stderr, /^animal-store: PORT must be an integer from 0 to 65535/);
});

function problemsOf(environment: Record<string, string>): string[] {
	try {
		readConfig(environment);
		return [];
	} catch (error) {
		assert.ok(error instanceof ConfigError);
		return error.problems;
	}
}

test("DATABASE_URL and API_KEY can be in files, which are trimmed; a flag wins, and both at once are refused", (context) => {
	const folder = temporaryFolder(context);
	const file = join(folder, "url");
	writeFileSync(file, "sqlite:/srv/animals.db\n");
	const empty = join(folder, "empty");
	writeFileSync(empty, "\n");
	assert.equal(readConfig({ DATABASE_URL_FILE: file }).databaseUrl, "sqlite:/srv/animals.db");
	const byFlag = readConfig({ DATABASE_URL_FILE: file }, { databaseUrl: "sqlite:b.db" });
	assert.equal(byFlag.databaseUrl, "sqlite:b.db");
	for (const [environment, problem] of [
		[
			{ DATABASE_URL_FILE: file, DATABASE_URL: "sqlite:a.db" },
			"DATABASE_URL and DATABASE_URL_FILE are both set: unset one of them",
		],
		[{ DATABASE_URL_FILE: empty }, `DATABASE_URL_FILE names ${empty}, which is empty`],
		[{ API_KEY_FILE: `${folder}/none` }, `API_KEY_FILE names ${folder}/none, which does not exist`],
		[{ API_KEY_FILE: folder }, `API_KEY_FILE names ${folder}, which cannot be read`],
	] as const)
		assert.equal(problemsOf(environment)[0], problem);
	assert.match(problemsOf({ API_KEY_FILE: file }).join(), /^API_KEY must be a complete key/);
});

test("a setting in another spelling is refused with the right one; variables of other programs are not", () => {
	for (const [name, meant] of [
		["LOGLEVEL", "LOG_LEVEL"],
		["BASEURL", "BASE_URL"],
		["database_url", "DATABASE_URL"],
		["ANIMAL_STORE_LOG_LEVEL", "LOG_LEVEL"],
		["ANIMAL_STORE_HOST", "HOST"],
		["APIKEY_FILE", "API_KEY_FILE"],
	] as const)
		assert.deepEqual(problemsOf({ [name]: "x" }), [`${name} is not a setting: use ${meant}`]);
	assert.match(
		problemsOf({ ANIMAL_STORE_COLOUR: "red" }).join(),
		/^ANIMAL_STORE_COLOUR is not a setting: animal-store /,
	);
	const others = {
		host: "a",
		Port: "b",
		LOGLEVEL: "",
		ANIMAL_STORE_URL: "http://127.0.0.1",
		ANIMAL_STORE_KEY: "k",
		// Kubernetes sets these for a service with this name.
		ANIMAL_STORE_SERVICE_HOST: "10.0.0.1",
		ANIMAL_STORE_SERVICE_PORT_HTTP: "8080",
		ANIMAL_STORE_PORT: "tcp://10.0.0.1:8080",
		ANIMAL_STORE_PORT_8080_TCP_ADDR: "10.0.0.1",
	};
	assert.deepEqual(problemsOf(others), []);
});

test("a malformed DATABASE_URL is one sentence with the name of the setting, without its password", () => {
	for (const [url, problem] of [
		["postgres://me:hidden@h1/db?port=x", "DATABASE_URL has the port x: use an integer from 1 to 65535"],
		["postgres://me:hid%den@h1/db", "DATABASE_URL has an invalid percent-encoding: write %25 for a %"],
	] as const)
		assert.deepEqual(problemsOf({ DATABASE_URL: url }), [problem]);
	const [problem = ""] = problemsOf({ DATABASE_URL: "postgres://me:hidden@h1/db?conect_timeout=1" });
	assert.match(problem, /^DATABASE_URL has the unknown parameter conect_timeout: the known ones are host, port,/);
});

test("both ports on one address are refused", () => {
	assert.deepEqual(problemsOf({ PORT: "9464" }), ["OPS_PORT must differ from PORT"]);
	assert.deepEqual(problemsOf({ PORT: "9464", HOST: "0.0.0.0" }), []);
});
