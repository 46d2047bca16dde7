// Several workers (WORKERS): one service with one port, one log and one set of figures, that outlives each of them.

import assert from "node:assert/strict";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { Agent } from "node:http";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import Database from "better-sqlite3";
import type { Activity } from "../src/contract/activity.ts";
import { closeAgain } from "../src/store/open.ts";
import { isShed, post } from "./crash-proof.ts";
import { attempt, idOf } from "./full-disk.ts";
import { Ledger, listAll } from "./ledger.ts";
import { type Running, runProgram, startProgram } from "./program.ts";
import { figureOf } from "./scrape.ts";
import { temporaryFolder } from "./service.ts";
import { until, within } from "./until.ts";
import { childrenOf, proveWorkerCrashes } from "./workers-proof.ts";

const isSupported = process.platform === "linux";
const skip = isSupported ? false : "the kernel does not divide connections";

async function newStore(context: TestContext) {
	const folder = temporaryFolder(context);
	const environment = { DATABASE_URL: `sqlite:${join(folder, "animals.db")}`, WORKERS: "2" };
	const parameters = ["keys", "create", "--name", "test", "--scopes", "pets:read,pets:write,metrics:read"];
	const key = (await runProgram(parameters, { environment })).stdout.trim();
	return { folder, environment, key, file: join(folder, "animals.db") };
}

const linesOf = ({ output }: Running) =>
	output.stdout
		.trim()
		.split("\n")
		.map((line) => JSON.parse(line));
const messagesOf = (service: Running, message: string) => linesOf(service).filter(({ msg }) => msg === message);

async function stop(service: Running): Promise<void> {
	service.process.kill("SIGTERM");
	assert.equal((await within("the stop", service.finished)).code, 0);
}

/** Creates over connections of their own, until every worker has answered. */
async function createOnAll(service: Running, key: string, ledger = new Ledger()): Promise<Ledger> {
	const workers = new Set<string>();
	let number = ledger.acknowledged.size;
	await until("both workers to answer", async () => {
		const agent = new Agent({ keepAlive: false });
		const mine = attempt(number++);
		const answer = await post(service.url, key, agent, mine);
		assert.equal(answer.status, 201, answer.body);
		ledger.acknowledge(mine, idOf(answer));
		workers.add(String(answer.headers["x-request-id"]).replace(/-[^-]*$/, ""));
		return workers.size === 2;
	});
	return ledger;
}

test("two workers share a port: the first key and each line of a start and a stop come once", {
	skip,
}, async (context) => {
	const environment = { DATABASE_URL: `sqlite:${join(temporaryFolder(context), "animals.db")}`, WORKERS: "2" };
	const service = await startProgram(context, environment, { parameters: ["serve", "--first-key"] });
	await until("the first answer", () => service.output.stderr.includes("The reply now"));
	const [key = "", ...others] = service.output.stderr.match(/^ {2}pets_\w+$/gm)?.map((text) => text.trim()) ?? [];
	assert.deepEqual(others, []);
	assert.equal(childrenOf(service.pid).length, 2);
	const ledger = await createOnAll(service, key);
	ledger.verify(await listAll(service.url, key));
	await stop(service);
	const keys = JSON.parse((await runProgram(["keys", "list", "--json"], { environment })).stdout);
	assert.equal(keys.length, 1);
	for (const message of ["listening", "stopping", "stopped"])
		assert.equal(messagesOf(service, message).length, 1, message);
	assert.equal(linesOf(service).at(-1).msg, "stopped");
	assert.equal(
		messagesOf(service, "request").filter(({ "http.request.method": method }) => method === "POST").length,
		ledger.acknowledged.size,
	);
});

test("what must happen once happens once: API_KEY is added, and a backup is made", { skip }, async (context) => {
	const { folder, environment } = await newStore(context);
	const key = (await runProgram(["keys", "generate"])).stdout.trim();
	const to = join(folder, "backups");
	mkdirSync(to);
	const service = await startProgram(context, { ...environment, API_KEY: key, BACKUP_TO: to });
	await until("a backup", () => service.output.stdout.includes("backup made"));
	await createOnAll(service, key);
	assert.ok((await figureOf(service, "animal_store_last_backup_timestamp_seconds")) > 0);
	await stop(service);
	assert.equal(messagesOf(service, "backup made").length, 1);
	assert.equal(readdirSync(to).length, 1);
	const keys: { name: string }[] = JSON.parse((await runProgram(["keys", "list", "--json"], { environment })).stdout);
	assert.equal(keys.filter(({ name }) => name === "API_KEY").length, 1);
});

test("workers that are killed under load lose nothing acknowledged, and others take their places", {
	skip,
}, async (context) => {
	const { environment, key } = await newStore(context);
	const service = await startProgram(context, environment);
	const proven = await proveWorkerCrashes({ service, key, kills: 4, seed: 1 });
	context.diagnostic(JSON.stringify(proven));
	const ended = messagesOf(service, "a worker ended unexpectedly, and another one takes its place");
	assert.deepEqual(new Set(ended.map(({ cause }) => cause)), new Set(["SIGKILL"]));
	await stop(service);
});

test("SIGTERM under load drops no request of any worker", { skip }, async (context) => {
	const { environment, key, file } = await newStore(context);
	const service = await startProgram(context, environment);
	const ledger = new Ledger();
	let number = 0;
	const client = async () => {
		const agent = new Agent({ keepAlive: true, maxSockets: 1 });
		context.after(() => agent.destroy());
		for (;;) {
			const mine = attempt(number++);
			try {
				const answer = await post(service.url, key, agent, mine);
				if (isShed(answer)) continue;
				assert.equal(answer.status, 201, answer.body);
				ledger.acknowledge(mine, idOf(answer));
			} catch (error) {
				assert.equal((error as NodeJS.ErrnoException).code, "ECONNREFUSED", String(error));
				return;
			}
		}
	};
	const clients = Promise.all(Array.from({ length: 32 }, client));
	await Promise.race([clients, until("500 creates", () => ledger.acknowledged.size > 500)]);
	await stop(service);
	await within("every client to be refused", clients);
	assert.ok(!existsSync(`${file}-wal`), "the store is closed as one process closes it");
	const again = await startProgram(context, environment);
	ledger.verify(await listAll(again.url, key));
});

test("a log that the last process of a store has left is removed, and its animals stay", async (context) => {
	const { environment, key, file } = await newStore(context);
	const service = await startProgram(context, { ...environment, WORKERS: "1" });
	assert.equal((await post(service.url, key, new Agent(), attempt(1))).status, 201);
	service.process.kill("SIGKILL");
	await within("the end", service.finished);
	assert.ok(existsSync(`${file}-wal`));
	await closeAgain(environment.DATABASE_URL, Date.now);
	assert.ok(!existsSync(`${file}-wal`));
	const again = await startProgram(context, environment);
	assert.equal((await listAll(again.url, key)).length, 1);
});

test("the figures are those of all workers, and do not fall when one has ended", { skip }, async (context) => {
	const { environment, key } = await newStore(context);
	const service = await startProgram(context, environment);
	const ledger = await createOnAll(service, key);
	const created = () => figureOf(service, "animal_store_request_duration_seconds_count", { operation: "createPet" });
	await until("every create to be counted", async () => (await created()) === ledger.acknowledged.size);
	assert.equal(await figureOf(service, "animal_store_animals", { status: "none" }), ledger.acknowledged.size);
	const readActivity = async () => {
		const reply = await fetch(`${service.url}/console/activity`, { headers: { authorization: `Bearer ${key}` } });
		return (await reply.json()) as Activity;
	};
	const before = await readActivity();
	assert.equal(before.now.replies.createPet.requests["2xx"], ledger.acknowledged.size);
	assert.equal(before.now.creates.animals, ledger.acknowledged.size);
	const [victim = 0] = childrenOf(service.pid);
	process.kill(victim, "SIGKILL");
	await until(
		"another worker",
		() => childrenOf(service.pid).length === 2 && !childrenOf(service.pid).includes(victim),
	);
	assert.equal(await created(), ledger.acknowledged.size);
	const state = await (await fetch(`${service.opsUrl}/readyz`)).json();
	assert.deepEqual(state, { status: "ok", writes: "working" }, "another worker serves");
	await createOnAll(service, key, ledger);
	await until("every create to be counted", async () => (await created()) === ledger.acknowledged.size);
	const after = await readActivity();
	assert.equal(after.node, before.node);
	assert.equal(after.now.replies.createPet.requests["2xx"], ledger.acknowledged.size);
	await stop(service);
});

test("a worker that hangs takes neither readiness nor its figures away", { skip }, async (context) => {
	const { environment, key } = await newStore(context);
	const service = await startProgram(context, environment);
	const ledger = await createOnAll(service, key);
	const created = () => figureOf(service, "animal_store_request_duration_seconds_count", { operation: "createPet" });
	await until("every create to be counted", async () => (await created()) === ledger.acknowledged.size);
	const [, other = 0] = childrenOf(service.pid);
	process.kill(other, "SIGSTOP");
	assert.equal(await created(), ledger.acknowledged.size);
	assert.equal((await fetch(`${service.opsUrl}/readyz`)).status, 200);
	process.kill(other, "SIGCONT");
	await stop(service);
});

test("what one worker finds stops writes in all: one fatal line, and reads go on", { skip }, async (context) => {
	const { environment, key, file } = await newStore(context);
	const database = new Database(file);
	database.exec(`WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100000)
		INSERT INTO pets (name, category_id) SELECT hex(zeroblob(120)), 1 FROM n`);
	database.close();
	const crashed = await startProgram(context, environment);
	await createOnAll(crashed, key);
	crashed.process.kill("SIGKILL");
	await crashed.finished;
	const bytes = readFileSync(file);
	const page = bytes.readUInt16BE(16);
	const middle = page * Math.floor(bytes.length / page / 2);
	writeFileSync(file, bytes.fill(0, middle, middle + page));

	const service = await startProgram(context, environment);
	await until("the damage to be found", () => service.output.stdout.includes('"level":"fatal"'));
	let refusals = 0;
	let number = 0;
	// Chosen by the kernel, each connection anew: 20 in turn are those of both workers.
	await until("creates to be refused", async () => {
		const { status, body } = await post(service.url, key, new Agent({ keepAlive: false }), attempt(number++));
		refusals = status === 503 && body.includes('"storage_unavailable"') ? refusals + 1 : 0;
		return refusals === 20;
	});
	const read = await fetch(`${service.url}/v1/pets`, { headers: { authorization: `Bearer ${key}` } });
	assert.equal(read.status, 200);
	assert.deepEqual(await (await fetch(`${service.opsUrl}/livez`)).json(), { status: "ok", writes: "failing" });
	await stop(service);
	assert.equal(linesOf(service).filter(({ level }) => level === "fatal").length, 1);
});

test("when the file is removed, all workers stop, and with WHEN_WRITES_STOP=exit the service ends with 1", {
	skip,
}, async (context) => {
	const { environment, key, folder } = await newStore(context);
	const service = await startProgram(context, { ...environment, WHEN_WRITES_STOP: "exit" });
	await createOnAll(service, key);
	for (const name of readdirSync(folder)) rmSync(join(folder, name), { recursive: true });
	await post(service.url, key, new Agent({ keepAlive: false }), attempt(1)).catch(() => {});
	assert.equal((await within("the end", service.finished)).code, 1);
	assert.equal(linesOf(service).filter(({ level }) => level === "fatal").length, 1);
});

test("a service whose workers cannot start ends with one sentence and code 1", { skip }, async (context) => {
	const { environment, folder } = await newStore(context);
	const file = join(folder, "text.db");
	writeFileSync(file, "this is no database, but it has more than one hundred bytes: ".repeat(4));
	const free = { ...environment, PORT: "0", OPS_PORT: "0" };
	const foreign = await runProgram(["serve"], { environment: { ...free, DATABASE_URL: `sqlite:${file}` } });
	assert.equal(foreign.code, 1);
	assert.match(foreign.stderr, /^animal-store: .*text\.db is not an animal store.*\n$/);
	assert.equal(foreign.stdout, "");
	const taken = createServer().listen(0, "127.0.0.1");
	await once(taken, "listening");
	context.after(() => taken.close());
	const port = String((taken.address() as AddressInfo).port);
	for (const ports of [{ PORT: port }, { OPS_PORT: port }]) {
		const refused = await runProgram(["serve"], { environment: { ...free, ...ports } });
		assert.equal(refused.code, 1);
		assert.match(refused.stderr, /^animal-store: port \d+ on 127\.0\.0\.1 is in use: .*\n$/);
	}
	const running = await startProgram(context, environment);
	const second = { ...free, PORT: new URL(running.url).port };
	assert.match((await runProgram(["serve"], { environment: second })).stderr, /is in use/, "the kernel would share it");
	await stop(running);
	const refused = await runProgram(["serve"], { environment: { ...free, WORKERS: "0" } });
	assert.match(refused.stderr, /^animal-store: WORKERS must be the number of processes that share the port/);
});

test("when no worker can be replaced, the service ends with 1 and the log has the cause", { skip }, async (context) => {
	const { environment, file } = await newStore(context);
	const service = await startProgram(context, environment);
	writeFileSync(file, "no database");
	for (const pid of childrenOf(service.pid)) process.kill(pid, "SIGKILL");
	assert.equal((await within("the end", service.finished)).code, 1);
	assert.ok(
		messagesOf(service, "a worker ended unexpectedly, and another one takes its place").some(({ cause }) =>
			/animals\.db/.test(cause),
		),
	);
});
