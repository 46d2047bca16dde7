// The settings: `animal-store config`, secrets and variables in files, and settings that were withdrawn.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { environmentFor, isUnderNpm, readConfig } from "../../src/config.ts";
import { logLevels } from "../../src/contract/observed.ts";
import { keyFromRandom } from "../../src/keys/formats.ts";
import { withdrawn } from "../../src/settings.ts";
import { call } from "../support/command.ts";
import { oldTools } from "../support/machine.ts";
import { programOf, refusals, runProgram } from "../support/program.ts";
import { temporaryFolder, testService } from "../support/service.ts";

test("config shows each setting, its value and source, without secrets", async () => {
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
		new RegExp(`^API_KEY +…${key.slice(-4)} +environment$`, "m"),
	])
		assert.match(stdout, line);
	assert.doesNotMatch(stdout, new RegExp(`hidden|${key}`));
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
	const { databaseUrl, given } = readConfig({ DATABASE_URL_FILE: file });
	const source = given.find(({ name }) => name === "DATABASE_URL")?.from;
	assert.deepEqual([databaseUrl, source], ["sqlite:/srv/animals.db", `file ${file}`]);
	assert.equal(readConfig({ DATABASE_URL_FILE: file }, { databaseUrl: "sqlite:b.db" }).databaseUrl, "sqlite:b.db");
	const files = { API_KEY_FILE: empty, DATABASE_URL_FILE: file };
	const kept = { PATH: "/bin", npm_lifecycle_event: "start" };
	context.mock.property(process, "env", { ...files, ...kept, HOST: "h", NODE_OPTIONS: "--inspect" });
	assert.deepEqual(environmentFor("sqlite:b.db"), { ...kept, DATABASE_URL: "sqlite:b.db" });
	assert.ok(isUnderNpm());
	const twice = { DATABASE_URL_FILE: file, DATABASE_URL: "sqlite:a.db" };
	for (const [environment, problem] of [
		[twice, "DATABASE_URL and DATABASE_URL_FILE are both set: unset one of them"],
		[{ DATABASE_URL_FILE: empty }, `DATABASE_URL_FILE names ${empty}, which is empty`],
		[{ API_KEY_FILE: `${folder}/none` }, `API_KEY_FILE names ${folder}/none, which does not exist`],
		[{ API_KEY_FILE: folder }, `API_KEY_FILE names ${folder}, which cannot be read (EISDIR)`],
	] as const)
		assert.equal(problemsOf(environment)[0], problem);
	assert.match(problemsOf({ API_KEY_FILE: file }).join(), /^API_KEY must be a complete key/);
});

test("a withdrawn setting is refused with its successor", () => {
	assert.deepEqual(Object.keys(withdrawn), ["REUSE_PORT", "LOG_CLIENT_ADDRESS", "WHEN_WRITES_STOP"]);
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
	const lines = ["PORT=1", "OPS_PORT=2", `DATABASE_URL="${store}"`, `ANIMAL_STORE_URL=${url}`];
	writeFileSync(file, [...lines, `ANIMAL_STORE_KEY=${key}`, ""].join("\n"));
	for (const parameters of [
		["--env-file", file, "config", "--port", "3"],
		["config", "--port", "3", `--env-file=${file}`],
	]) {
		const { stdout } = await runProgram(parameters, { environment: { OPS_PORT: "5" } });
		const given = stdout.replaceAll(/ {2,}/g, "  ").match(/^.* {2}(flag|environment)$/gm);
		const expected = ["PORT  3  flag", "OPS_PORT  5  environment", `DATABASE_URL  ${store}  environment`];
		assert.deepEqual(Array.from(given ?? []), expected);
	}
	const pet = await runProgram(["pets", "create", "--name", "Rex", "--category-id", "1", "--env-file", file]);
	assert.deepEqual([pet.code, pet.stdout], [0, "id  status  category  name\n 1  -       1         Rex\n"]);
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

test("BASE_URL ends with /v1 once", () => {
	for (const BASE_URL of ["https://pets.example/v1", "https://pets.example/v1/", "https://pets.example"])
		assert.equal(readConfig({ BASE_URL }).baseUrl, "https://pets.example/v1");
	assert.equal(readConfig({ BASE_URL: "http://a/b/" }).baseUrl, "http://a/b/v1");
});

test("a wrong value, and settings that cannot work together, are refused with one sentence each", () => {
	const alone: [name: string, rule: RegExp, ...values: string[]][] = [
		["PORT", /^PORT must be an integer from 0 to 65535/, "http", "65536", "01"],
		["OPS_PORT", /^OPS_PORT must be/, "-1"],
		["HOST", /^HOST must be a host name/, "a b"],
		["DATABASE_URL", /^DATABASE_URL must be sqlite: and the path/, "animals.db", "mysql://a/b", "sqlite:/srv/"],
		["DATABASE_URL", /^DATABASE_URL must be sqlite: (?!.*secret)/, "sqlite:postgres://u:secret@h/d"],
		["DATABASE_URL", /^DATABASE_URL has an invalid .*: write %25 for a %$/, "postgres://me:hid%den@h1/db"],
		["BASE_URL", /^BASE_URL must be an http or https URL/, "pets.example", "https://a/v1?a=1", "https://a/#b"],
		["TRUST_PROXY", /^TRUST_PROXY must be addresses or networks of proxies, .*loopback/, "1"],
		["RATE_LIMIT", /^RATE_LIMIT must be a number of requests in a window, such as 100\/1m/, "many"],
		["CORS_ORIGINS", /^CORS_ORIGINS must be origins .*without wildcards/, "*", "https://*.example", "null"],
		["CORS_ORIGINS", /^CORS_ORIGINS must be/, "https://a.example,*", "https://a.example/", "https://user@a.example"],
		["CORS_ORIGINS", /^CORS_ORIGINS must be/, "https://a#b", "https://a,https://b#c"],
		["CONNECTIONS_PER_ADDRESS", /^CONNECTIONS_PER_ADDRESS must be an integer from 0 to 10000/, "-1", "10001"],
		["DATABASE_POOL_MAX", /^DATABASE_POOL_MAX must be an integer from 1 to 1000/, "0", "1001"],
		["CREATE_WAIT_MAX", /^CREATE_WAIT_MAX must be the longest time that a create may wait/, "0s", "1000s", "1h"],
		["STOP_DELAY", /^STOP_DELAY must be the time for which a stopping service/, "-1s", "0m", "1000s"],
		["LOG_LEVEL", /^LOG_LEVEL must be fatal, error/, "loud", "information"],
	];
	const rows: [environment: Record<string, string>, ...rules: RegExp[]][] = [
		...alone.flatMap(([name, rule, ...values]) => values.map((value): (typeof rows)[0] => [{ [name]: value }, rule])),
		[{ PORT: "9464" }, /^OPS_PORT must differ from PORT$/],
		[{ PORT: "9464", HOST: "0.0.0.0" }],
		[{ BACKUP_EVERY: "1h" }, /^BACKUP_EVERY needs BACKUP_TO/],
		[{ BACKUP_KEEP: "3", BACKUP_EVERY: "1h" }, /^BACKUP_EVERY needs BACKUP_TO/, /^BACKUP_KEEP needs BACKUP_TO/],
		[{ BACKUP_TO: "/b", BACKUP_EVERY: "often" }, /^BACKUP_EVERY must be the time between two backups, such as 1h/],
		[{ BACKUP_TO: "/b", BACKUP_KEEP: "0" }, /^BACKUP_KEEP must be the number of backups to keep/],
		[{ BACKUP_TO: "/b", BACKUP_KEEP: "10001" }, /^BACKUP_KEEP must be/],
		[{ LISTEN_PID: `${process.pid}`, LISTEN_FDS: "2" }, /^LISTEN_FDS must be 1, the public port/],
		[{ BACKUP_TO: "/b", DATABASE_URL: "postgresql://a/b" }, /^BACKUP_TO needs a sqlite: .* with pg_dump/],
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
	const keeping = (BACKUP_KEEP: string) => readConfig({ BACKUP_TO: "/b", BACKUP_KEEP }).backups?.keep;
	assert.deepEqual([keeping("1"), keeping("10000")], [1, 10_000]);
	assert.equal(readConfig({ DATABASE_POOL_MAX: "1" }).databasePoolMax, 1);
	for (const LOG_LEVEL of logLevels) assert.equal(readConfig({ LOG_LEVEL, PORT: "" }).logLevel, LOG_LEVEL);
	const passedTo = (pid: number) => readConfig({ LISTEN_PID: `${pid}`, LISTEN_FDS: "1" }).listenFd;
	assert.deepEqual([process.pid, process.ppid, 0].map(passedTo), [3, 3, undefined]);
	const [problem] = refusals(() => readConfig({}, { port: "9464" }));
	assert.equal(problem, "OPS_PORT must differ from --port");
	const most = { PORT: "65535", DATABASE_POOL_MAX: "1000", CONNECTIONS_PER_ADDRESS: "10000", CREATE_WAIT_MAX: "999m" };
	const read = readConfig({ ...most, STOP_DELAY: "999s", CORS_ORIGINS: "https://a.example,http://b.example:81" });
	assert.partialDeepStrictEqual(read, { port: 65_535, databasePoolMax: 1000, connectionsPerAddress: 10_000 });
	assert.deepEqual([read.createWaitMax, read.stopDelay], [999 * 60_000, 999_000]);
	assert.deepEqual(read.corsOrigins, ["https://a.example", "http://b.example:81"]);
});
