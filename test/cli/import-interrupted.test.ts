// Interrupted imports: after any interruption, the same command imports every animal exactly once.

import assert from "node:assert/strict";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer, request } from "node:http";
import { dirname, join } from "node:path";
import { type TestContext, test } from "node:test";
import { createKey } from "../../src/keys/issue.ts";
import { call, callWell } from "../support/command.ts";
import { listAll } from "../support/ledger.ts";
import { listenFor } from "../support/listen.ts";
import { begin, type Finished, type Start } from "../support/program.ts";
import { revoke, type TestService, temporaryFolder, testService } from "../support/service.ts";
import { until } from "../support/until.ts";

/** What the gate does with a create: `lost` is stored, but its reply does not arrive. */
type Fate = "passed" | "refused" | "unsent" | "lost";

/** A service, a file to import, and a server in front of the service that can delay, refuse or lose creates. */
async function gated(context: TestContext) {
	const service = await testService(context);
	const gate = {
		url: "",
		key: service.key,
		/** The number of creates so far. */
		creates: 0,
		/** Decides about the n-th create; it waits until the promise resolves. */
		fateOf: async (_n: number): Promise<Fate> => "passed",
	};
	const server = createServer(async (incoming, outgoing) => {
		const { method, url, headers } = incoming;
		const fate = method === "POST" && url === "/console/imports" ? await gate.fateOf(++gate.creates) : "passed";
		if (fate === "refused") return void outgoing.writeHead(429, { "retry-after": "0" }).end();
		if (fate === "unsent") return void outgoing.destroy();
		const inner = request(service.url + url, { method, headers }, (reply) => {
			if (fate === "lost") return void outgoing.destroy();
			outgoing.writeHead(reply.statusCode ?? 500, reply.headers);
			reply.pipe(outgoing);
		});
		inner.on("error", () => outgoing.destroy());
		incoming.pipe(inner);
	});
	gate.url = `http://127.0.0.1:${await listenFor(context, server)}`;
	const file = join(temporaryFolder(context), "animals.csv");
	writeFileSync(file, `name,categoryId\n${names.map((name, n) => `${name},${n}\n`).join("")}`);
	return { service, gate, file };
}

/** The number of rows in the file. A batch has about 215 rows of this length. */
const count = 2000;
const names = Array.from({ length: count }, (_, n) => `animal ${n} ${"x".repeat(200)}`);
/** The number of the batch at which the tests interrupt an import. */
const middle = 4;

type Calling = Pick<TestService, "url" | "key">;

/** The parameters and options of a command that imports the file. */
const importOf = (file: string, { url, key }: Calling, ...more: string[]): [string[], Pick<Start, "environment">] => [
	["import", file, ...more],
	{ environment: { ANIMAL_STORE_URL: url, ANIMAL_STORE_KEY: key } },
];

/** Runs the same command again: then all animals are there, in order. @returns the number that were already there */
async function importAgain(file: string, calling: Calling): Promise<number> {
	const stdout = await callWell(...importOf(file, calling));
	const [, added = "", existing = ""] = /: (\d+) added, (\d+) already there.*, 0 rejected/.exec(stdout) ?? [];
	assert.equal(Number(added) + Number(existing), count);
	const listed = (await listAll(calling.url, calling.key)).map(({ name }) => name);
	assert.deepEqual(listed, names);
	return Number(existing);
}

function animalsIn({ stderr }: Finished): number {
	const said = /added (\d+) of 2000 animals; run it again within 24 hours to resume\n$/;
	return Number(said.exec(stderr)?.[1] ?? "none");
}

test("an import whose key is revoked stops; with another key, the same file adds each row once", async (context) => {
	const { service, gate, file } = await gated(context);
	const key = await createKey(service.issuer, { name: "short", scopes: ["pets:read", "pets:write"] });
	const calling = { url: gate.url, key: key.key };
	gate.fateOf = async () => "unsent";
	const unsent = await call(...importOf(file, calling, "--retry-for", "1s"));
	assert.deepEqual([unsent.code, unsent.stdout, animalsIn(unsent)], [1, "", 0]);
	assert.match(unsent.stderr, /no reply from .* is the service running there\?/);
	gate.creates = 0;
	// A batch is refused and sent again. Then it is stored, but the reply is lost. The next attempt has a revoked key.
	gate.fateOf = async (n) => {
		if (n === middle) await revoke(service, key);
		return n === middle - 2 ? "refused" : n === middle - 1 ? "lost" : "passed";
	};
	const stopped = await call(...importOf(file, calling));
	assert.equal(stopped.code, 1);
	assert.match(stopped.stderr, /animal-store: this API key does not work/);
	const before = animalsIn(stopped);
	assert.ok(before > 0 && before < count / 2, stopped.stderr);
	assert.deepEqual(readdirSync(dirname(file)), ["animals.csv"], "rows that were not sent are not rejected");
	const lost = (await importAgain(file, service)) - before;
	assert.ok(lost > 0 && lost < 300, `${lost}`);
});

test("Ctrl-C waits for the batch under way, and the same import adds only the rest", async (context) => {
	const { gate, file } = await gated(context);
	const importing = begin(...importOf(file, gate));
	const { promise: noticed, resolve } = Promise.withResolvers<void>();
	importing.child.stderr.on("data", () => importing.output.stderr.includes("stopping") && resolve());
	gate.fateOf = async (n) => {
		// A supervisor may send a second signal immediately.
		if (n === middle) for (const signal of ["SIGINT", "SIGTERM"] as const) importing.child.kill(signal);
		if (n >= middle) await noticed;
		return "passed";
	};
	const stopped = await importing.finished;
	assert.deepEqual([stopped.code, stopped.stdout], [130, ""]);
	assert.match(stopped.stderr, /\nstopping; press Ctrl-C again to end at once\nanimal-store: interrupted: /);
	const before = animalsIn(stopped);
	assert.equal(gate.creates, middle, "no batch is sent after the signal");
	assert.ok(before > 0 && before < count / 2);
	assert.equal(await importAgain(file, gate), before);
});

test("a second Ctrl-C ends an import at once, and the same import adds only the rest", async (context) => {
	const { service, gate, file } = await gated(context);
	const scratch = temporaryFolder(context);
	const environment = { ANIMAL_STORE_URL: gate.url, ANIMAL_STORE_KEY: gate.key, TMPDIR: scratch };
	const { child, output, finished } = begin(["import", "-"], { environment, input: readFileSync(file) });
	const { promise: never } = Promise.withResolvers<Fate>();
	gate.fateOf = async (n) => {
		if (n === middle) child.kill("SIGINT");
		return n >= middle ? never : "passed";
	};
	await until("the first Ctrl-C to be noticed", () => output.stderr.includes("stopping"));
	await until("the end after a second signal", () => !child.kill("SIGINT"), { everyMs: 50 });
	const { code, stdout } = await finished;
	assert.deepEqual([code, stdout], [130, ""]);
	assert.deepEqual(readdirSync(scratch), [], "temporary files are removed");
	const existing = await importAgain(file, service);
	assert.ok(existing > 0 && existing < count / 2, String(existing));
});
