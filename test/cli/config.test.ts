// The settings: `animal-store config`, secrets in files, and names that were probably meant as settings.

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { nearestSetting } from "../../src/cli/near-names.ts";
import { namesGiven, readConfig } from "../../src/config.ts";
import { keyFromRandom } from "../../src/keys/formats.ts";
import { assertRefused, call } from "../support/command.ts";
import { refusals } from "../support/program.ts";
import { temporaryFolder } from "../support/service.ts";

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

test("a misspelled setting is refused with the right name; other programs' variables are not", () => {
	for (const [name, meant] of [
		["LOGLEVEL", "LOG_LEVEL"],
		["BASEURL", "BASE_URL"],
		["database_url", "DATABASE_URL"],
		["ANIMAL_STORE_LOG_LEVEL", "LOG_LEVEL"],
		["ANIMAL_STORE_HOST", "HOST"],
		["APIKEY_FILE", "API_KEY_FILE"],
	] as const)
		assert.deepEqual(problemsOf({ [name]: "x" }), [`${name} is not a setting: use ${meant}`]);
	const [unknown = ""] = problemsOf({ ANIMAL_STORE_COLOUR: "red" });
	assert.match(unknown, /^ANIMAL_STORE_COLOUR is not a setting: animal-store /);
	const others = {
		host: "a",
		Port: "b",
		LOGLEVEL: "",
		ANIMAL_STORE_URL: "http://127.0.0.1",
		ANIMAL_STORE_KEY: "k",
		// Kubernetes sets these variables for a Service with this name.
		ANIMAL_STORE_SERVICE_HOST: "10.0.0.1",
		ANIMAL_STORE_SERVICE_PORT_HTTP: "8080",
		ANIMAL_STORE_PORT: "tcp://10.0.0.1:8080",
		ANIMAL_STORE_PORT_8080_TCP_ADDR: "10.0.0.1",
	};
	assert.deepEqual(problemsOf(others), []);
});

test("a variable with one or two wrong letters in the name of an unset setting brings a warning", async () => {
	const environment = { DATABASE_ULR: "sqlite:/none", BACKUPS_TO: "/none", OPS_POTR: "1", LOG_LEVELS: "warn" };
	const { code, stderr } = await call(["config"], { environment: { ...environment, LOG_LEVEL: "warn" } });
	const warnings = Object.entries({ DATABASE_ULR: "DATABASE_URL", BACKUPS_TO: "BACKUP_TO", OPS_POTR: "OPS_PORT" }).map(
		([name, meant]) => `warning: ${name} is not a setting and has no effect; did you mean ${meant}?\n`,
	);
	assert.deepEqual([code, stderr], [0, warnings.join("")]);
	const { unset } = namesGiven({});
	for (const [name, meant] of [
		["DATABASEE_URLS", "DATABASE_URL"],
		["DTABASE_RUL", "DATABASE_URL"],
		["BCKUP_TO", "BACKUP_TO"],
		["API_KEYFILES", "API_KEY_FILE"],
		["ANIMAL_STORE_ULR", "ANIMAL_STORE_URL"],
		["DATABASE_URI_RO", undefined],
	] as const)
		assert.equal(nearestSetting(name, unset), meant, name);
	const ordinary =
		"HOSTNAME HOSTS PORTS LOGS LOG_FILE LOG_PATH POD_IP HOST_IP DB_URL DATABASE DATABASE_USER API_KEYS API_HOST API_URL " +
		"BACKUP BACKUP_DIR BASE_DIR BASE_PATH RATE STOP_SIGNAL REDIS_PORT APP_PORT APP_KEY";
	for (const name of ordinary.split(" ")) assert.equal(nearestSetting(name, unset), undefined, name);
});

test("BASE_URL ends with /v1 once", () => {
	for (const BASE_URL of ["https://pets.example/v1", "https://pets.example/v1/", "https://pets.example"])
		assert.equal(readConfig({ BASE_URL }).baseUrl, "https://pets.example/v1");
});

test("a wrong value, and settings that cannot work together, are refused with one sentence each", (context) => {
	const database = (parameters: string) => `postgres://me:hidden@h1/db?${parameters}`;
	const rows: [environment: Record<string, string>, ...rules: RegExp[]][] = [
		[{ PORT: "http" }, /^PORT must be an integer from 0 to 65535/],
		[{ PORT: "65536" }, /^PORT must be/],
		[{ OPS_PORT: "-1" }, /^OPS_PORT must be/],
		[{ HOST: "a b" }, /^HOST must be a host name/],
		[{ DATABASE_URL: "animals.db" }, /^DATABASE_URL must be sqlite: and the path/],
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
		[{ WHEN_WRITES_STOP: "panic" }, /^WHEN_WRITES_STOP must be serve/],
		[{ LOG_LEVEL: "loud" }, /^LOG_LEVEL must be fatal, error/],
		[{ PORT: "9464" }, /^OPS_PORT must differ from PORT$/],
		[{ PORT: "9464", HOST: "0.0.0.0" }],
		[{ REUSE_PORT: "true" }],
		[{ REUSE_PORT: "true", PORT: "0" }, /^REUSE_PORT needs a fixed port: set PORT to a number other than 0$/],
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
	assert.equal(readConfig({}).backups, undefined);
	context.mock.property(process, "platform", "darwin");
	const [problem] = problemsOf({ REUSE_PORT: "true" });
	assert.equal(problem, "REUSE_PORT needs Linux: darwin does not spread connections over nodes");
});
