// The settings: `animal-store config`, secrets and variables in files. What each value means, and which problems values
// have, is recorded in test/outcomes/functions.txt.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { environmentFor, isUnderNpm, readConfig } from "../../src/config.ts";
import { keyFromRandom } from "../../src/keys/formats.ts";
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

test("only this start's socket is used; a problem names its flag; never is no interval", () => {
	const passedTo = (pid: number, LISTEN_FDS = "1") => ({ LISTEN_PID: `${pid}`, LISTEN_FDS });
	const sockets = [process.pid, process.ppid, 0].map((pid) => readConfig(passedTo(pid)).listenFd);
	assert.deepEqual(sockets, [3, 3, undefined]);
	assert.match(problemsOf(passedTo(process.pid, "2")).join(), /^LISTEN_FDS must be 1, the public port[^\n]*$/);
	assert.deepEqual(
		refusals(() => readConfig({}, { port: "9464" })),
		["OPS_PORT must differ from --port"],
	);
	assert.equal(readConfig({ BACKUP_TO: "/b", BACKUP_EVERY: "never" }).backups?.everyMs, Infinity);
});
