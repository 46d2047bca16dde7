// Interrupted imports: after any interruption, the same command imports every animal exactly once.

import assert from "node:assert/strict";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { createKey } from "../../src/keys/issue.ts";
import { type Gate, openGate } from "../support/gate.ts";
import { listAll } from "../support/ledger.ts";
import { freePort } from "../support/postgres-server.ts";
import { begin, type Finished, startProgram } from "../support/program.ts";
import { newStore } from "../support/proof.ts";
import { create, revoke, type TestService, temporaryFolder, testService } from "../support/service.ts";
import { slowMs, until } from "../support/until.ts";

const count = 2000;
/** The number of creates after which the tests interrupt. */
const middle = 500;

interface Calling {
	url: string;
	key: string;
}

function animals(context: TestContext, rows = count): string {
	const file = join(temporaryFolder(context), "animals.csv");
	const lines = Array.from({ length: rows }, (_, n) => `animal ${n},${n}\n`);
	writeFileSync(file, `name,categoryId\n${lines.join("")}`);
	return file;
}

function beginImport(file: string, { url, key }: Calling, ...more: string[]) {
	return begin(["import", file, ...more], { environment: { ANIMAL_STORE_URL: url, ANIMAL_STORE_KEY: key } });
}

/** Runs the same command again. @returns the number of animals that existed already */
async function importAgain(file: string, calling: Calling): Promise<number> {
	const { code, stdout, stderr } = await beginImport(file, calling).finished;
	assert.equal(code, 0, stderr);
	const [, added = "", existing = ""] = /: (\d+) added, (\d+) already there, 0 rejected/.exec(stdout) ?? [];
	assert.equal(Number(added) + Number(existing), count);
	return Number(existing);
}

async function assertAllOnce({ url, key }: Calling): Promise<void> {
	const names = (await listAll(url, key)).map(({ name }) => name);
	assert.deepEqual(names.sort(), Array.from({ length: count }, (_, n) => `animal ${n}`).sort());
}

function animalsIn({ stderr }: Finished): number {
	const [, number = "none"] =
		/: added (\d+) of 2000 animals; run it again with the same key within 24 hours to resume\n$/.exec(stderr) ?? [];
	return Number(number);
}

/** A service that can be killed, behind a gate that keeps its address. */
async function mortal(context: TestContext) {
	const { environment, key } = await newStore("animals", temporaryFolder(context));
	const start = () => startProgram(context, environment);
	const service = await start();
	return { service, start, gate: await openGate(context, service.url), key };
}

test("killing and restarting the service during an import delays it, and no animal is lost or duplicated", {
	timeout: slowMs, // The import of all animals, four at once.
}, async (context) => {
	const { environment, key } = await newStore("animals", temporaryFolder(context));
	const start = () => startProgram(context, { ...environment, PORT: port });
	const port = String(await freePort());
	const service = await start();
	const { finished } = beginImport(animals(context), { url: service.url, key }, "--concurrency", "4");
	const headers = { authorization: `Bearer ${key}` };
	await until("some animals", async () => (await fetch(`${service.url}/v1/pets/${middle}`, { headers })).ok);
	await service.stop("SIGKILL");
	await sleep(1500); // Connections are refused for longer than an address that never replied is tried.
	const { url } = await start();
	const { code, stdout, stderr } = await finished;
	assert.equal(code, 0, stderr);
	assert.match(stdout, / 0 rejected, /);
	await assertAllOnce({ url, key });
});

test("an import stops and names the next step if the service stays down, and the same import resumes later", async (context) => {
	const { service, start, gate, key } = await mortal(context);
	const file = animals(context);
	gate.onCreate = async (n) => {
		if (n !== middle) return;
		await service.stop("SIGKILL");
	};
	const stopped = await beginImport(file, { url: gate.url, key }, "--retry-for", "1s").finished;
	assert.deepEqual([stopped.code, stopped.stdout], [1, ""]);
	assert.match(stopped.stderr, /no reply from .* is the service running there\?/);
	const before = animalsIn(stopped);
	assert.ok(before >= middle - 250 && before < middle + 250, stopped.stderr);
	gate.target = (await start()).url;
	const existing = await importAgain(file, { url: gate.url, key });
	assert.ok(existing >= before && existing <= before + 250, "pending creates may be stored too");
	await assertAllOnce({ url: gate.target, key });
});

/** Revokes the key of an import at its create `n`: creates from there on wait until the key is refused. */
function revokeAt(n: number, gate: Gate, service: TestService, key: { id: string; key: string }): void {
	const { promise: refused, resolve } = Promise.withResolvers<void>();
	gate.onCreate = async (create) => {
		if (create === n) await revoke(service, key).then(resolve);
		if (create >= n) await refused;
	};
}

test("a row without a reply before the key was revoked is looked up under another key, and sent again only if a person decides", async (context) => {
	// Creates settle within 4 s.
	const timeouts = { headersMs: 1000, requestMs: 1000 };
	const service = await testService(context, { timeouts, environment: { CREATE_WAIT_MAX: "1s" } });
	const gate = await openGate(context, service.url);
	const file = join(temporaryFolder(context), "animals.csv");
	const names = Array.from({ length: 300 }, (_, n) => `animal ${n % 9}`);
	// The rows are long, so that the file is read in several pieces, most of them after the key was revoked.
	const rows = names.map((name) => `${name},1,${"1".repeat(700)}\n`);
	writeFileSync(file, `name,categoryId,line\n${rows.join("")}`);
	await service.send(create({ name: "animal 5", categoryId: 1 }));
	const key = await createKey(service.issuer, { name: "short", scopes: ["pets:read", "pets:write"] });
	revokeAt(106, gate, service, key);
	gate.loses = (n) => n > 100;
	const stored = async () => (await listAll(service.url, service.key)).map(({ name }) => name);
	const stopped = await beginImport(file, { url: gate.url, key: key.key }, "--concurrency", "10").finished;
	assert.equal(stopped.code, 1);
	assert.match(stopped.stderr, /invalid_credential/);
	assert.ok(gate.creates <= 106 + 11, `${gate.creates} creates: more than those in flight and one repeat`);
	const [, areIn = ""] =
		/: added (\d+) of 300 .*: import that file with another key, which looks up/.exec(stopped.stderr) ?? [];
	const rejected = readFileSync(`${file}.rejected.csv`, "utf8");
	const unknown = rejected.match(/^\d+,"?no reply: it may .*,(animal \d),1$/gm) ?? [];
	// One of the rest is stored late.
	const isStored = (await stored()).length - 1 - Number(areIn);
	assert.ok(isStored > 0 && isStored + 1 < unknown.length, `${isStored} were added, ${stopped.stderr}${rejected}`);
	gate.onCreate = () => {};
	gate.loses = () => false;
	const calling = { url: gate.url, key: service.key };
	const importing = beginImport(`${file}.rejected.csv`, calling);
	await until("the others to be sent", async () => importing.output.stderr.includes("earlier import: looking them up"));
	const [late = ""] = /animal \d/.exec(unknown.at(-1) ?? "") ?? [];
	await service.send(create({ name: late, categoryId: 1 }));
	const rest = await importing.finished;
	const missing = unknown.length - isStored - 1;
	assert.match(rest.stdout, new RegExp(` ${isStored + 1} already there, ${missing} rejected`), rest.stderr);
	assert.equal((await stored()).length, 1 + 300 - missing, "nothing is sent again");
	assert.match(rest.stderr, /no reply, and not found: import this row if it is not in the list/);
	assert.equal(rest.code, 2);
	const last = await beginImport(`${file}.rejected.csv.rejected.csv`, calling).finished;
	assert.match(last.stdout, new RegExp(`: ${missing} added, 0 already there, 0 rejected`), last.stderr);
	assert.deepEqual((await stored()).sort(), [...names, "animal 5"].sort());
});

test("Ctrl-C waits for the pending animals, and the same import adds only the rest", async (context) => {
	const service = await testService(context);
	const gate = await openGate(context, service.url);
	const calling = { url: gate.url, key: service.key };
	const file = animals(context);
	const importing = beginImport(file, calling);
	const { promise: noticed, resolve } = Promise.withResolvers<void>();
	importing.child.stderr.on("data", () => importing.output.stderr.includes("stopping") && resolve());
	gate.onCreate = async (n) => {
		if (n === middle) importing.child.kill("SIGINT");
		if (n >= middle) await noticed;
	};
	const stopped = await importing.finished;
	assert.deepEqual([stopped.code, stopped.stdout], [130, ""]);
	assert.match(stopped.stderr, /\nstopping; press Ctrl-C again to end at once\nanimal-store: interrupted: /);
	const before = animalsIn(stopped);
	assert.equal(before, gate.creates, "each request that was sent is counted");
	assert.ok(before < middle + 250);
	gate.onCreate = () => {};
	assert.equal(await importAgain(file, calling), before);
	await assertAllOnce({ url: service.url, key: service.key });
});

test("a second Ctrl-C ends an import at once, and the same import adds only the rest", async (context) => {
	const service = await testService(context);
	const gate = await openGate(context, service.url);
	const scratch = temporaryFolder(context);
	const file = animals(context);
	const environment = { ANIMAL_STORE_URL: gate.url, ANIMAL_STORE_KEY: service.key, TMPDIR: scratch };
	const importing = begin(["import", "-"], { environment, input: readFileSync(file) });
	const { child, output } = importing;
	child.stderr.on("data", () => output.stderr.includes("stopping") && child.kill("SIGINT"));
	const { promise: never } = Promise.withResolvers<void>();
	gate.onCreate = (n) => {
		if (n === middle) child.kill("SIGINT");
		return n >= middle ? never : undefined;
	};
	const { code, stdout } = await importing.finished;
	assert.deepEqual([code, stdout], [130, ""]);
	assert.deepEqual(readdirSync(scratch), [], "temporary files are removed");
	gate.onCreate = () => {};
	const existing = await importAgain(file, { url: gate.url, key: service.key });
	assert.ok(existing >= middle - 250 && existing < middle, String(existing));
	await assertAllOnce({ url: service.url, key: service.key });
});

test("animals are added in file order if no create is refused or lost; with --in-order also if the service refuses some", async (context) => {
	const service = await testService(context);
	const gate = await openGate(context, service.url);
	const rows = 400;
	const file = animals(context, rows);
	const inOrder = Array.from({ length: rows }, (_, n) => `animal ${n}`);
	async function importInto(url: string, ...more: string[]) {
		const { key } = await createKey(service.issuer, { name: "own", scopes: ["pets:read", "pets:write"] });
		gate.creates = 0;
		const { stdout, stderr } = await beginImport(file, { url, key }, ...more).finished;
		const names = (await listAll(service.url, service.key)).map(({ name }) => name).slice(-rows);
		return { said: stdout + stderr, names };
	}
	const plain = await importInto(service.url);
	assert.match(plain.said, /: 400 added, 0 already there, 0 rejected, in /);
	assert.deepEqual(plain.names, inOrder);
	gate.refuses = (n) => n === 200;
	const refused = await importInto(gate.url, "--in-order");
	assert.match(refused.said, /: 400 added, 0 already there, 0 rejected, in /);
	assert.deepEqual(refused.names, inOrder);
	const swapped = await importInto(gate.url);
	assert.match(
		swapped.said,
		/: 400 added, 0 already there, 0 rejected, [1-9]\d* not in file order, in /,
		"the summary names it",
	);
	assert.notDeepEqual(swapped.names, inOrder);
});

test("--concurrency sets the number of concurrent requests of an import", async (context) => {
	const service = await testService(context);
	const gate = await openGate(context, service.url);
	let most = 0;
	let held: (() => void)[] = [];
	gate.onCreate = () => {
		most = Math.max(most, gate.waiting);
		const { promise, resolve } = Promise.withResolvers<void>();
		held.push(resolve);
		// A slow service: no request gets a reply before all 20 have arrived.
		if (held.length === 20) {
			for (const release of held) release();
			held = [];
		}
		return promise;
	};
	const file = animals(context);
	const { code, stderr } = await beginImport(file, { url: gate.url, key: service.key }, "--concurrency", "20").finished;
	assert.equal(code, 0, stderr);
	assert.equal(most, 20);
	await assertAllOnce({ url: service.url, key: service.key });
});
