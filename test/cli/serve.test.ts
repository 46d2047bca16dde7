// `animal-store serve`: starts, refused starts, and stops.

import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { test } from "node:test";
import { describeError } from "../../src/cli/command-error.ts";
import { curlForFirst, curlOf } from "../../src/contract/curl.ts";
import { settings } from "../../src/settings.ts";
import { ask } from "../support/caller.ts";
import { assertRefused, callWell } from "../support/command.ts";
import { listenFor } from "../support/listen.ts";
import { assertProgramRefused, startProgram, startRefused } from "../support/program.ts";
import { temporaryFolder, temporaryStore, testService } from "../support/service.ts";
import { until, within } from "../support/until.ts";

test("the quick start prints the first key once, with a working curl command and its reply", async (context) => {
	const environment = { DATABASE_URL: temporaryStore(context) };
	const options = { parameters: ["serve", "--first-key"] };
	const first = await startProgram(context, environment, options);
	await until("the first answer", () => first.output.stderr.includes("The reply now"));
	const [key = ""] = /pets_[0-9A-Za-z]{49}/.exec(first.output.stderr) ?? [];
	for (const parts of [curlForFirst(`${first.url}/v1/pets`), curlOf(`${first.url}/v1/pets`)])
		assert.ok(first.output.stderr.includes(`\n  ${parts.join(" ")}\n`));
	assert.equal(first.output.stderr.split(key).length, 2, "the key is shown once");
	assert.match(first.output.stderr, /The reply now: 200 \[\]/);
	assert.ok(!first.output.stdout.includes(key), "no key in the log");
	assert.equal((await first.stop("SIGINT")).code, 0);
	const second = await startProgram(context, environment, options);
	const known = await ask(`${second.url}/console/key`, { key });
	assert.deepEqual(JSON.parse(known.body).scopes, ["pets:read", "pets:write", "metrics:read", "pets:edit"]);
	assert.doesNotMatch(second.output.stderr, /pets_/);
});

test("a failed quick start does not use up the first key", async (context) => {
	const environment = { DATABASE_URL: temporaryStore(context) };
	const PORT = String(await listenFor(context, createServer()));
	for (const taken of [{ PORT }, { OPS_PORT: PORT }]) {
		const failed = startProgram(context, { ...environment, ...taken }, { parameters: ["serve", "--first-key"] });
		await assert.rejects(failed, /port \d+ on .* is in use/);
	}
	assert.equal(await callWell(["keys", "list", "--json"], { environment }), "[]\n");
});

test("a wrong environment is refused with one sentence for each problem and exit code 1", async (context) => {
	const folder = temporaryFolder(context);
	const file = `sqlite:${join(folder, "animals.db")}`;
	mkdirSync(join(folder, "directory"));
	const locked = join(folder, "locked");
	mkdirSync(locked, { mode: 0o500 });
	// Root can write everywhere except to the kernel's own file systems.
	const unwritable = process.getuid?.() === 0 ? "/sys" : locked;
	const port = String(await listenFor(context, createServer()));
	const inUse = new RegExp(`port ${port} on 127\\.0\\.0\\.1 is in use`);
	const rows: [environment: Record<string, string>, said: RegExp][] = [
		[{ HOST: "192.0.2.1" }, /192\.0\.2\.1 is not an address of this machine/],
		[{ DATABASE_URL: `sqlite:${join(folder, "directory")}` }, /directory is a directory/],
		[{ DATABASE_URL: `sqlite:${unwritable}/animals.db` }, /^cannot write .*, or set DATABASE_URL to another file$/],
		[{ DATABASE_URL: "sqlite:/etc/passwd/animals.db" }, /^cannot write .*$/],
		[{ OPS_PORT: port }, inUse],
	];
	const ports = () => process.getActiveResourcesInfo().filter((name) => name.startsWith("TCPServer"));
	for (const [environment, said] of rows) {
		await assert.rejects(testService(context, { environment }), (error) => {
			const [sentence = "", ...others] = describeError(error);
			assert.match(sentence, said);
			return others.length === 0;
		});
		await until("no port but the test's to be left", () => ports().length === 1);
	}
	await startRefused({ DATABASE_URL: file, PORT: port }, inUse);
	const wrong = { DATABASE_URL: file, API_KEY: "secret", PORT: "x", LOG_LEVEL: "loud", RATE_LIMIT: "0/1m" };
	const said = [/^animal-store: API_KEY must be a complete key of this service; animal-store keys generate/m];
	for (const name of ["PORT", "LOG_LEVEL", "RATE_LIMIT"]) said.push(new RegExp(`^animal-store: ${name}`, "m"));
	assert.doesNotMatch(await startRefused(wrong, said), /secret/);
});

test("an old Node without a newer one beside it is refused with one sentence that names the fix", async () => {
	const old =
		"data:text/javascript,Object.defineProperty(process.versions,'node',{value:'20.1.0'});" +
		"Object.defineProperty(process,'arch',{value:'mips'})";
	const said = /^animal-store needs Node 24 or newer, .* --omit=optional, or install .*\n$/;
	await assertProgramRefused([[["serve"], said]], { nodeOptions: ["--import", old] });
});

test("serve --help lists every setting with variable and default; a flag overrides the variable", async (context) => {
	const help = await callWell(["serve", "--help"]);
	const text = help.replaceAll(/\s+/g, " ");
	for (const [name, { default: preset }] of Object.entries(settings)) {
		const flag = `--${name.toLowerCase().replaceAll("_", "-")} <value> ${name}: `;
		if (name !== "API_KEY") assert.ok(text.includes(flag) && text.includes(`(default: ${preset ?? "none"})`), name);
	}
	assert.match(text, /without a flag, because other users can see flags: API_KEY/);
	const databaseUrl = temporaryStore(context);
	const parameters = ["serve", "--port", "0", "--ops-port=0", "--database-url", databaseUrl, "--log-level", "info"];
	const environment = { PORT: "none", DATABASE_URL: "none", LOG_LEVEL: "none" };
	const { url } = await startProgram(context, environment, { parameters });
	assert.equal((await ask(`${url}/livez`)).status, 200);
	const said = /^animal-store: HOST must be .*\nanimal-store: --port must be an integer from 0 to 65535/;
	const wrong = ["serve", "config"].map((command): [string[], RegExp] => [[command, "--port", "70000"], said]);
	await assertRefused(wrong, { environment: { HOST: "ä" } });
});

test("a module that Node preloads runs in the service only, not in its threads and backups", async (context) => {
	const folder = temporaryFolder(context);
	const notes = join(folder, "notes");
	const imports = 'import { threadId } from "node:worker_threads"; import { appendFileSync } from "node:fs";';
	for (const name of ["variable", "option"])
		writeFileSync(join(folder, `${name}.mjs`), `${imports} appendFileSync("${notes}", "${name} " + threadId + " ");`);
	const BACKUP_TO = join(folder, "backups");
	mkdirSync(BACKUP_TO);
	// BACKUP_TO is a flag, so a backup process with the service's environment would refuse BACKUP_EVERY.
	const environment = { DATABASE_URL: `sqlite:${join(folder, "animals.db")}`, BACKUP_EVERY: "1h" };
	const preloading = { ...environment, NODE_OPTIONS: `--import ${join(folder, "variable.mjs")}` };
	const parameters = ["serve", "--backup-to", BACKUP_TO];
	const nodeOptions = ["--import", join(folder, "option.mjs")];
	const service = await startProgram(context, preloading, { parameters, nodeOptions });
	await until("a backup", () => service.output.stdout.includes('"msg":"backup made"'));
	assert.equal(readFileSync(notes, "utf8"), "variable 0 option 0 ");
	assert.equal((await service.stop("SIGQUIT")).code, 0);
});

test("signals within a second are one stop, a later one ends at once; SIGHUP, SIGUSR1 do nothing", async (context) => {
	const DATABASE_URL = temporaryStore(context);
	const { process, output, url, finished } = await startProgram(context, { DATABASE_URL, STOP_DELAY: "1s" });
	const ignored = ["SIGHUP", "SIGUSR1", "SIGUSR2"] as const;
	for (const signal of ignored) process.kill(signal);
	await until("a log line for each signal", () => ignored.every((name) => output.stdout.includes(`"${name}"`)));
	assert.equal((await ask(`${url}/livez`)).status, 200);
	for (const signal of ["SIGTERM", "SIGINT", "SIGTERM"] as const) process.kill(signal);
	const { code, stdout, stderr } = await within("the service to end", finished);
	assert.deepEqual([code, stderr], [0, ""], "Node would report a debugger");
	assert.match(stdout, /"signal":"SIG(TERM|INT)","msg":"stopping"[\s\S]*"msg":"stopped"/);

	const wrapped = "(run, ms, ...more) => { if (ms > 60_000) console.error('in', ms); return start(run, ms, ...more); }";
	const timers = `data:text/javascript,const start = setTimeout; globalThis.setTimeout = ${wrapped};`;
	const nodeOptions = ["--import", timers];
	// Under npx, SIGHUP is a terminal that was closed.
	const environment = { DATABASE_URL, STOP_DELAY: "60s", npm_lifecycle_event: "npx" };
	const delayed = await startProgram(context, environment, { nodeOptions });
	const stoppedAtMs = performance.now();
	await until("the end", () => !delayed.process.kill("SIGHUP"), { everyMs: 50 });
	const ended = await delayed.finished;
	assert.ok(performance.now() - stoppedAtMs >= 1000);
	assert.equal(ended.code, 1);
	assert.doesNotMatch(ended.stdout, /"msg":"stopped"/);
	assert.match(ended.stderr, /^in 75000$/m, "otherwise the end is forced 15 s after the delay");
});

test("an unexpected error is logged, and ends the service after the requests under way, with 1", async (context) => {
	const environment = { DATABASE_URL: temporaryStore(context) };
	const preload = 'process.on("SIGWINCH", () => void Promise.reject(new Error("no one expects it")));';
	const nodeOptions = ["--import", `data:text/javascript,${preload}`];
	const service = await startProgram(context, environment, { nodeOptions });
	const { code, stdout } = await service.stop("SIGWINCH");
	assert.equal(code, 1);
	assert.match(stdout, /"level":"fatal".*no one expects it.*"msg":"stopping after an unexpected error"/);
	assert.match(stdout, /"msg":"stopped"/);
	const delayed = await startProgram(context, { ...environment, STOP_DELAY: "600s" }, { nodeOptions });
	await until("the end at a second error", () => !delayed.process.kill("SIGWINCH"), { everyMs: 50 });
	assert.equal((await delayed.finished).code, 1);
	const stuck = "data:text/javascript,globalThis.clearInterval = () => { throw new Error('stuck'); }";
	const failing = await startProgram(context, environment, { nodeOptions: ["--import", stuck] });
	assert.equal((await failing.stop()).code, 1, "a stop that fails");
});
