// The settings: `animal-store config`, secrets and variables in files, and settings that were withdrawn.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { readConnection } from "../../src/cli/connection.ts";
import { readConfig } from "../../src/config.ts";
import { keyFromRandom } from "../../src/keys/formats.ts";
import { withdrawn } from "../../src/settings.ts";
import { assertRefused, call } from "../support/command.ts";
import { oldTools } from "../support/machine.ts";
import { programOf, refusals, runProgram } from "../support/program.ts";
import { temporaryFolder, testService } from "../support/service.ts";

test("config shows each setting, its value and source, as a table or JSON, without secrets", async () => {
	const key = keyFromRandom(Buffer.alloc(32, 5));
	const environment = {
		DATABASE_URL: "postgres://me:hidden@db1.example:5433/animals?password=hidden",
		API_KEY: key,
		RATE_LIMIT: "10/1s",
	};
	const { stdout } = await call(["config", "--port", "9000"], { environment });
	for (const line of [
		/^HOST +127\.0\.0\.1 +default$/m,
		/^PORT +9000 +flag$/m,
		/^DATABASE_URL +postgres:\/\/me:\*\*\*@db1\.example:5433\/animals\?password=\*\*\* +environment$/m,
		/^BASE_URL +- +default$/m,
		/^RATE_LIMIT +10\/1s +environment$/m,
	])
		assert.match(stdout, line);
	assert.doesNotMatch(stdout, new RegExp(`hidden|${key}`));
	const { stdout: json } = await call(["config", "--json"], { environment });
	const shown: { name: string; value: string; from: string }[] = JSON.parse(json);
	const shownKey = shown.find(({ name }) => name === "API_KEY");
	assert.deepEqual(shownKey, { name: "API_KEY", value: `…${key.slice(-4)}`, from: "environment" });
	assert.doesNotMatch(json, new RegExp(`hidden|${key}`));
});

test("config ends with 1 when the service would not start", async () => {
	const said = /^animal-store: PORT must be an integer from 0 to 65535/;
	await assertRefused([[["config"], said]], { environment: { PORT: "x" } });
});

function problemsOf(environment: Record<string, string>): string[] {
	return refusals(() => readConfig(environment));
}

test("DATABASE_URL and API_KEY can be in files; a flag wins, and a setting with both is refused", (context) => {
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
		[{ API_KEY_FILE: folder }, `API_KEY_FILE names ${folder}, which cannot be read (EISDIR)`],
	] as const)
		assert.equal(problemsOf(environment)[0], problem);
	assert.match(problemsOf({ API_KEY_FILE: file }).join(), /^API_KEY must be a complete key/);
});

test("a withdrawn setting is refused with its successor", () => {
	for (const name of Object.keys(withdrawn)) {
		const [problem = "", ...others] = problemsOf({ [name]: "true" });
		assert.match(problem, new RegExp(`^${name} is no longer a setting: `));
		assert.deepEqual([others, problemsOf({ [name]: "" })], [[], []]);
	}
});

test("--env-file adds the variables that are not set, for each command, before or after its name", async (context) => {
	const { url, key } = await testService(context);
	const folder = temporaryFolder(context);
	const file = join(folder, "settings");
	const store = `sqlite:${join(folder, "a&b animals.db")}`;
	writeFileSync(
		file,
		`PORT=1\nOPS_PORT=2\nDATABASE_URL="${store}"\nANIMAL_STORE_URL=${url}\nANIMAL_STORE_KEY=${key}\n`,
	);
	for (const parameters of [
		["--env-file", file, "config", "--port", "3", "--json"],
		["config", "--port", "3", "--json", `--env-file=${file}`],
	]) {
		const { stdout } = await runProgram(parameters, { environment: { OPS_PORT: "5" } });
		const shown: { name: string; value: string; from: string }[] = JSON.parse(stdout);
		assert.deepEqual(
			shown.filter(({ from }) => from !== "default").map(({ name, value, from }) => `${name} ${value} ${from}`),
			["PORT 3 flag", "OPS_PORT 5 environment", `DATABASE_URL ${store} environment`],
		);
	}
	const created = await runProgram(["--env-file", file, "keys", "create", "--name", "a"], { folder });
	assert.match(created.stderr, new RegExp(`^in ${store}$`, "m"));
	const pet = await runProgram(["pets", "create", "--name", "Rex", "--category-id", "1", "--env-file", file]);
	assert.deepEqual([pet.code, pet.stdout], [0, "id  categoryId  status  name\n 1           1  -       Rex\n"]);
});

test("an env file that cannot be read ends the command, by Node or in one sentence", async (context) => {
	const file = join(temporaryFolder(context), "none");
	const { code, stdout, stderr } = await runProgram(["keys", "list", "--env-file", file]);
	assert.deepEqual([code === 0, stdout], [false, ""]);
	assert.match(stderr, /none: not found|none, which does not exist/);
	// With `--`, Node 20 does not read --env-file itself. Node 18 never does.
	const older = spawnSync(oldTools.node, ["--", programOf(), "config", "--env-file", file], { encoding: "utf8" });
	assert.equal(older.stderr, `animal-store: --env-file names ${file}, which does not exist\n`);
});

test("a client command needs a URL and a key; a flag overrides the environment", () => {
	assert.equal(readConnection({}, { ANIMAL_STORE_KEY: "e" }).key, "e");
	assert.equal(readConnection({ key: "f" }, { ANIMAL_STORE_KEY: "e" }).key, "f");
	const [wrongUrl, missingKey, ...others] = refusals(() => readConnection({ url: "x" }, {}));
	assert.match(wrongUrl ?? "", /^--url must be the http or https URL of a service/);
	assert.match(missingKey ?? "", /^ANIMAL_STORE_KEY is required and must be an API key/);
	assert.deepEqual(others, []);
});

test("BASE_URL ends with /v1 once", () => {
	for (const BASE_URL of ["https://pets.example/v1", "https://pets.example/v1/", "https://pets.example"])
		assert.equal(readConfig({ BASE_URL }).baseUrl, "https://pets.example/v1");
});

test("a wrong value, and settings that cannot work together, are refused with one sentence each", () => {
	const database = (parameters: string) => `postgres://me:hidden@h1/db?${parameters}`;
	const rows: [environment: Record<string, string>, ...rules: RegExp[]][] = [
		[{ PORT: "http" }, /^PORT must be an integer from 0 to 65535/],
		[{ PORT: "65536" }, /^PORT must be/],
		[{ OPS_PORT: "-1" }, /^OPS_PORT must be/],
		[{ HOST: "a b" }, /^HOST must be a host name/],
		[{ DATABASE_URL: "animals.db" }, /^DATABASE_URL must be sqlite: and the path/],
		[{ DATABASE_URL: "sqlite:postgres://u:secret@h/d" }, /^DATABASE_URL must be sqlite: (?!.*secret)/],
		[{ DATABASE_URL: "mysql://a/b" }, /^DATABASE_URL must be/],
		[{ DATABASE_URL: database("port=x") }, /^DATABASE_URL has the port x: use an integer from 1 to 65535$/],
		[{ DATABASE_URL: "postgres://me:hid%den@h1/db" }, /^DATABASE_URL has an invalid .*: write %25 for a %$/],
		[{ DATABASE_URL: database("conect_timeout=1") }, /^DATABASE_URL has the unknown parameter c.*: .* known .* host, /],
		[{ BASE_URL: "pets.example" }, /^BASE_URL must be an http or https URL/],
		[{ BASE_URL: "https://pets.example/v1?a=1" }, /^BASE_URL must be/],
		[{ TRUST_PROXY: "1" }, /^TRUST_PROXY must be addresses or networks of proxies, .*loopback/],
		[{ RATE_LIMIT: "many" }, /^RATE_LIMIT must be a number of requests in a window, such as 100\/1m/],
		...["*", "https://*.example", "https://a.example,*", "https://a.example/", "https://user@a.example", "null"].map(
			(origins): [Record<string, string>, RegExp] => [
				{ CORS_ORIGINS: origins },
				/^CORS_ORIGINS must be origins .*without wildcards/,
			],
		),
		[{ CONNECTIONS_PER_ADDRESS: "-1" }, /^CONNECTIONS_PER_ADDRESS must be an integer from 0 to 10000/],
		[{ CONNECTIONS_PER_ADDRESS: "many" }, /^CONNECTIONS_PER_ADDRESS must be/],
		[{ CREATE_WAIT_MAX: "0s" }, /^CREATE_WAIT_MAX must be the longest time that a create may wait/],
		[{ STOP_DELAY: "-1s" }, /^STOP_DELAY must be the time for which a stopping service/],
		[{ LOG_LEVEL: "loud" }, /^LOG_LEVEL must be fatal, error/],
		[{ PORT: "9464" }, /^OPS_PORT must differ from PORT$/],
		[{ PORT: "9464", HOST: "0.0.0.0" }],
		[{ BACKUP_EVERY: "1h" }, /^BACKUP_EVERY needs BACKUP_TO/],
		[{ BACKUP_KEEP: "3", BACKUP_EVERY: "1h" }, /^BACKUP_EVERY needs BACKUP_TO/, /^BACKUP_KEEP needs BACKUP_TO/],
		[{ BACKUP_TO: "/b", BACKUP_EVERY: "often" }, /^BACKUP_EVERY must be the time between two backups, such as 1h/],
		[{ BACKUP_TO: "/b", BACKUP_KEEP: "0" }, /^BACKUP_KEEP must be the number of backups to keep/],
		[{ BACKUP_TO: "/b", DATABASE_URL: "postgres://a/b" }, /^BACKUP_TO needs a sqlite: .* with pg_dump/],
	];
	for (const [environment, ...rules] of rows) {
		const problems = problemsOf(environment);
		assert.equal(problems.length, rules.length, problems.join("\n"));
		for (const [index, rule] of rules.entries()) assert.match(problems[index] ?? "", rule);
		assert.doesNotMatch(problems.join(), /hidden|hid%/);
	}
	assert.deepEqual(readConfig({ BACKUP_TO: "/b" }).backups, { folder: "/b", everyMs: 86_400_000, keep: 7 });
	assert.equal(readConfig({ BACKUP_TO: "/b", BACKUP_EVERY: "never" }).backups?.everyMs, Infinity);
	assert.equal(readConfig({ BACKUP_EVERY: "never" }).backups, undefined);
});
