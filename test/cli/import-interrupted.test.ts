// Interrupted imports: after any interruption, the same command imports every animal exactly once.

import assert from "node:assert/strict";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import { dirname, join } from "node:path";
import { type TestContext, test } from "node:test";
import { createKey } from "../../src/keys/issue.ts";
import { call, callWell } from "../support/command.ts";
import { listAll } from "../support/ledger.ts";
import { listenFor } from "../support/listen.ts";
import { begin, type Finished, type Start, startProgram } from "../support/program.ts";
import { newStore } from "../support/proof.ts";
import { revoke, type TestService, temporaryFolder, testService } from "../support/service.ts";
import { until } from "../support/until.ts";

/** A server in front of the service that delays, refuses or loses creates as a test wants. */
async function openGate(context: TestContext, target: string) {
	const gate = {
		url: "",
		/** The number of creates so far. */
		creates: 0,
		/** Called before the n-th create is forwarded. The gate forwards the create when the promise resolves. */
		onCreate: (_n: number): Promise<void> | void => {},
		/** The status with which the gate refuses the n-th create; undefined if it forwards the create. */
		refuses: (_n: number): number | undefined => undefined,
		/** Whether the gate loses the reply to the n-th create, which the service has stored. */
		loses: (_n: number): boolean => false,
	};
	const server = createServer(async (incoming, outgoing) => {
		let isLost = false;
		if (incoming.method === "POST") {
			const n = ++gate.creates;
			await gate.onCreate(n);
			const status = gate.refuses(n);
			if (status) return void outgoing.writeHead(status, { "retry-after": "0" }).end();
			isLost = gate.loses(n);
		}
		pass(target, incoming, outgoing, isLost);
	});
	gate.url = `http://127.0.0.1:${await listenFor(context, server)}`;
	return gate;
}

/** Forwards a request; if the service has ended, the client's connection breaks. */
function pass(target: string, incoming: IncomingMessage, outgoing: ServerResponse, isLost: boolean): void {
	const { method, url, headers } = incoming;
	const inner = request(target + url, { method, headers }, (reply) => {
		if (isLost && (reply.statusCode ?? 0) < 300) return void outgoing.destroy();
		outgoing.writeHead(reply.statusCode ?? 500, reply.headers);
		reply.on("error", () => outgoing.destroy()).pipe(outgoing);
	});
	inner.on("error", () => outgoing.destroy());
	incoming.pipe(inner);
}

/** The number of rows in the file. A batch has about 215 rows of this length. */
const count = 2000;
const name = (n: number) => `animal ${n} ${"x".repeat(200)}`;
/** The number of the batch at which the tests interrupt an import. */
const middle = 4;

type Calling = Pick<TestService, "url" | "key">;

function animals(context: TestContext): string {
	const file = join(temporaryFolder(context), "animals.csv");
	const lines = Array.from({ length: count }, (_, n) => `${name(n)},${n}\n`);
	writeFileSync(file, `name,categoryId\n${lines.join("")}`);
	return file;
}

/** The parameters and options of a command that imports the file. */
const importOf = (file: string, { url, key }: Calling, ...more: string[]): [string[], Pick<Start, "environment">] => [
	["import", file, ...more],
	{ environment: { ANIMAL_STORE_URL: url, ANIMAL_STORE_KEY: key } },
];

/** Runs the same command again. @returns the number of animals that were already there */
async function importAgain(file: string, calling: Calling): Promise<number> {
	const stdout = await callWell(...importOf(file, calling));
	const [, added = "", existing = ""] = /: (\d+) added, (\d+) already there.*, 0 rejected/.exec(stdout) ?? [];
	assert.equal(Number(added) + Number(existing), count);
	return Number(existing);
}

async function assertAllInOrder({ url, key }: Calling): Promise<void> {
	const names = (await listAll(url, key)).map(({ name }) => name);
	const expected = Array.from({ length: count }, (_, n) => name(n));
	assert.deepEqual(names, expected);
}

function animalsIn({ stderr }: Finished): number {
	const [, number = "none"] =
		/added (\d+) of 2000 animals; run it again within 24 hours to resume\n$/.exec(stderr) ?? [];
	return Number(number);
}

test("an import stops, with the next step, if the service stays down; the same import resumes", async (context) => {
	const { environment, key } = await newStore("animals", temporaryFolder(context));
	const service = await startProgram(context, environment);
	const gate = await openGate(context, service.url);
	const file = animals(context);
	gate.onCreate = async (n) => {
		if (n === middle) await service.stop("SIGKILL");
	};
	const stopped = await call(...importOf(file, { url: gate.url, key }, "--retry-for", "1s"));
	assert.deepEqual([stopped.code, stopped.stdout], [1, ""]);
	assert.match(stopped.stderr, /no reply from .* is the service running there\?/);
	const before = animalsIn(stopped);
	assert.ok(before > 0 && before < count / 2, stopped.stderr);
	const calling = { url: (await startProgram(context, environment)).url, key };
	assert.ok((await importAgain(file, calling)) >= before);
	await assertAllInOrder(calling);
});

test("an import whose key is revoked stops; with another key, the same file adds each row once", async (context) => {
	const service = await testService(context);
	const gate = await openGate(context, service.url);
	const file = animals(context);
	const key = await createKey(service.issuer, { name: "short", scopes: ["pets:read", "pets:write"] });
	gate.onCreate = async (n) => {
		if (n === middle) await revoke(service, key);
	};
	// A batch is refused and sent again. Then it is stored, but the reply is lost. The next attempt has a revoked key.
	gate.refuses = (n) => (n === middle - 2 ? 429 : undefined);
	gate.loses = (n) => n === middle - 1;
	const stopped = await call(...importOf(file, { url: gate.url, key: key.key }));
	assert.equal(stopped.code, 1);
	assert.match(stopped.stderr, /animal-store: this API key does not work/);
	const before = animalsIn(stopped);
	assert.ok(before > 0 && before < count / 2, stopped.stderr);
	assert.deepEqual(readdirSync(dirname(file)), ["animals.csv"], "rows that were not sent are not rejected");
	const calling = { url: service.url, key: service.key };
	const lost = (await importAgain(file, calling)) - before;
	assert.ok(lost > 0 && lost < 300, `${lost}`);
	await assertAllInOrder(calling);
	assert.equal(await importAgain(file, calling), count, "with another key, too, the whole file adds nothing");
	await assertAllInOrder(calling);
});

test("Ctrl-C waits for the batch under way, and the same import adds only the rest", async (context) => {
	const service = await testService(context);
	const gate = await openGate(context, service.url);
	const calling = { url: gate.url, key: service.key };
	const file = animals(context);
	const importing = begin(...importOf(file, calling));
	const { promise: noticed, resolve } = Promise.withResolvers<void>();
	importing.child.stderr.on("data", () => importing.output.stderr.includes("stopping") && resolve());
	gate.onCreate = async (n) => {
		// A supervisor may send a second signal immediately.
		if (n === middle) for (const signal of ["SIGINT", "SIGTERM"] as const) importing.child.kill(signal);
		if (n >= middle) await noticed;
	};
	const stopped = await importing.finished;
	assert.deepEqual([stopped.code, stopped.stdout], [130, ""]);
	assert.match(stopped.stderr, /\nstopping; press Ctrl-C again to end at once\nanimal-store: interrupted: /);
	const before = animalsIn(stopped);
	assert.equal(gate.creates, middle, "no batch is sent after the signal");
	assert.ok(before > 0 && before < count / 2);
	gate.onCreate = () => {};
	assert.equal(await importAgain(file, calling), before);
	await assertAllInOrder({ url: service.url, key: service.key });
});

test("a second Ctrl-C ends an import at once, and the same import adds only the rest", async (context) => {
	const service = await testService(context);
	const gate = await openGate(context, service.url);
	const scratch = temporaryFolder(context);
	const file = animals(context);
	const environment = { ANIMAL_STORE_URL: gate.url, ANIMAL_STORE_KEY: service.key, TMPDIR: scratch };
	const importing = begin(["import", "-"], { environment, input: readFileSync(file) });
	const { child, output } = importing;
	const { promise: never } = Promise.withResolvers<void>();
	gate.onCreate = (n) => {
		if (n === middle) child.kill("SIGINT");
		return n >= middle ? never : undefined;
	};
	await until("the first Ctrl-C to be noticed", () => output.stderr.includes("stopping"));
	await until("the end after a second signal", () => !child.kill("SIGINT"), { everyMs: 50 });
	const { code, stdout } = await importing.finished;
	assert.deepEqual([code, stdout], [130, ""]);
	assert.deepEqual(readdirSync(scratch), [], "temporary files are removed");
	gate.onCreate = () => {};
	const existing = await importAgain(file, { url: gate.url, key: service.key });
	assert.ok(existing > 0 && existing < count / 2, String(existing));
	await assertAllInOrder({ url: service.url, key: service.key });
});
