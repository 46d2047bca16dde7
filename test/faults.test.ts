// What the service does when its disk is full, when it is stopped under load, and when the clock jumps.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { Agent } from "node:http";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import Database from "better-sqlite3";
import { post } from "./crash-proof.ts";
import { attempt, idOf, proveFullDisk } from "./full-disk.ts";
import { Ledger, listAll } from "./ledger.ts";
import { type Running, runProgram, startProgram } from "./program.ts";
import { assertFailure, create, temporaryFolder, testService } from "./service.ts";

async function keyFor(environment: Record<string, string>): Promise<string> {
	return (await runProgram(["keys", "create", "--name", "proof"], { environment })).stdout.trim();
}

test("a full disk refuses creates with 503 and Retry-After, reads go on, and it recovers by itself", {
	timeout: 60_000,
}, async (context) => {
	const file = join(temporaryFolder(context), "animals.db");
	const environment = { DATABASE_URL: `sqlite:${file}` };
	const key = await keyFor(environment);
	// The limit on the size of files stands in for the end of the disk: writes beyond it fail.
	const under = ["bash", "-c", 'ulimit -S -f 400; exec "$@"', "-"];
	const service = await startProgram(context, environment, { under });
	const makeRoom = () => execFileSync("prlimit", ["--fsize=unlimited:", "--pid", String(service.pid)]);
	await proveFullDisk({ service, key, makeRoom });
	service.process.kill("SIGTERM");
	const { code, stdout } = await service.finished;
	assert.equal(code, 0);
	assert.ok(/"level":"error".*SQLITE_/.test(stdout), "operators see the cause");
	const database = new Database(file, { readonly: true });
	assert.equal(database.pragma("integrity_check", { simple: true }), "ok");
	database.close();
});

test("SIGTERM under load drops no request: a full reply or a refused connection", {
	timeout: 60_000,
}, async (context) => {
	const environment = { DATABASE_URL: `sqlite:${join(temporaryFolder(context), "animals.db")}` };
	const key = await keyFor(environment);
	const service = await startProgram(context, environment);
	const ledger = new Ledger();
	let number = 0;
	const client = async () => {
		const agent = new Agent({ keepAlive: true, maxSockets: 1 });
		for (;;) {
			const mine = attempt(number++);
			try {
				const answer = await post(service.url, key, agent, mine);
				assert.equal(answer.status, 201);
				ledger.acknowledge(mine, idOf(answer));
			} catch (error) {
				agent.destroy();
				assert.equal((error as NodeJS.ErrnoException).code, "ECONNREFUSED", String(error));
				return;
			}
		}
	};
	const clients = Array.from({ length: 32 }, client);
	await sleep(500);
	service.process.kill("SIGTERM");
	await Promise.all(clients);
	const { code } = await service.finished;
	assert.equal(code, 0);
	assert.ok(ledger.acknowledged.size > 500);
	const again = await startProgram(context, environment);
	ledger.verify(await listAll(again.url, key));
});

test("a clock that jumps an hour either way hurts nothing but expiry", async (context) => {
	const { send, clock } = await testService(context, { environment: { RATE_LIMIT: "1000/1m" } });
	const startMs = Date.now();
	const hourMs = 3_600_000;
	let id = 0;
	for (const jumpMs of [0, hourMs, -hourMs, 0, 24 * hourMs, -24 * hourMs]) {
		clock.nowMs = startMs + jumpMs;
		const created = await send(create({ name: "a", categoryId: 1 }, { "Idempotency-Key": `k${jumpMs}${id}` }));
		assert.equal(JSON.parse(created.body).id, ++id);
		assert.equal((await send({ path: `/v1/pets/${id}` })).status, 200);
		assert.equal((await send({ path: "/readyz" })).status, 200);
	}
});

test("creates that wait too long in number are refused as overloaded, and the service recovers within 2 seconds", {
	timeout: 60_000,
}, async (context) => {
	const { writesWaitingMax } = await import("../src/http/overload.ts");
	const file = join(temporaryFolder(context), "animals.db");
	const environment = { DATABASE_URL: `sqlite:${file}` };
	const key = await keyFor(environment);
	const service = await startProgram(context, environment);
	const blocker = new Database(file);
	blocker.exec("BEGIN IMMEDIATE");
	const body = '{"name":"a","categoryId":1}';
	const one = `POST /v1/pets HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
	const connections = 500;
	const each = Math.ceil((writesWaitingMax * 1.2) / connections);
	const { connect } = await import("node:net");
	const answers = Array.from({ length: connections }, () => {
		const socket = connect(Number(new URL(service.url).port), "127.0.0.1", () => socket.write(one.repeat(each)));
		context.after(() => socket.destroy());
		return new Promise<string>((resolve) => {
			let text = "";
			socket.setEncoding("latin1").on("data", (chunk) => {
				text += chunk;
				if ((text.match(/HTTP\/1.1 \d/g)?.length ?? 0) === each) resolve(text);
			});
		});
	});
	while ((await waitingWrites(service)) < writesWaitingMax) await sleep(20);
	const filledAt = performance.now();
	const headers = { authorization: `Bearer ${key}` };
	while ((await fetch(`${service.url}/v1/pets`, { headers })).status !== 200) {
		assert.ok(performance.now() - filledAt < 2000, "reads go on");
		await sleep(50);
	}
	blocker.exec("ROLLBACK");
	blocker.close();
	const texts = (await Promise.all(answers)).join("");
	const freedAt = performance.now();
	const created = texts.match(/HTTP\/1.1 201/g)?.length ?? 0;
	const refused = texts.match(/"code":"overloaded"/g)?.length ?? 0;
	assert.equal(created + refused, connections * each);
	assert.ok(refused >= connections * each - writesWaitingMax - 1000 && refused > 0, `${refused} were refused`);
	assert.equal(texts.match(/retry-after: 1/gi)?.length, refused);
	const agent = new Agent();
	while ((await post(service.url, key, agent, attempt(1))).status !== 201) {
		assert.ok(performance.now() - freedAt < 2000, "it recovers within 2 seconds");
		await sleep(20);
	}
	assert.equal((await listAll(service.url, key)).length, created + 1);
	assert.equal(await waitingWrites(service), 0);
});

async function waitingWrites({ opsUrl }: Running): Promise<number> {
	const metrics = await (await fetch(`${opsUrl}/metrics`)).text();
	return Number(/^animal_store_writes_waiting (\d+)$/m.exec(metrics)?.[1]);
}

test("a store whose writer is lost refuses creates with 503, and readyz says so", async (context) => {
	const { send, store } = await testService(context);
	await store.close();
	assertFailure(await send(create({ name: "a", categoryId: 1 })), "storage_unavailable");
	assertFailure(await send({ path: "/readyz" }), "storage_unavailable");
	assert.equal((await send({ path: "/livez" })).status, 200);
});
