// A reply shows everything that another process committed before the request, even with many busy connections.

import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { type TestContext, test } from "node:test";
import { scopes } from "../../src/contract/operations.ts";
import { createKey, revokeKey } from "../../src/keys/issue.ts";
import { openStore } from "../../src/store/open.ts";
import { type Running, startProgram } from "../support/program.ts";
import { temporaryStore } from "../support/service.ts";
import { until, within } from "../support/until.ts";
import { Connection, createHead, type Reply } from "../support/wire.ts";

/** More than the 1,024 events that one call of epoll returns, so a tick of the event loop needs several calls. */
const connections = 1_300;
const rounds = 2;
const wanted = { name: "proof", scopes: [...scopes] };

const get = (key: string, path: string, field = "") =>
	`GET ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${key}\r\n${field}\r\n`;

/** @returns a function that sends a request over a kept-alive connection, and repeats it over a new one after a 503 */
function openAsker(context: TestContext, url: string) {
	const port = Number(new URL(url).port);
	let connection = new Connection(port);
	context.after(() => connection.end());
	return async (request: string): Promise<Reply> => {
		for (;;) {
			connection.socket.write(request);
			const reply = await within("a reply", connection.next());
			if (reply?.status !== 503) return reply ?? assert.fail("the connection was closed");
			connection = new Connection(port);
		}
	};
}

/**
 * Opens connections that pipeline these requests. `begin` makes all send at once; `end` waits for all replies. An
 * overloaded node may refuse a request and close its connection; `begin` opens another one.
 */
function openCrowd(context: TestContext, { url, process }: Running, requests: string) {
	const count = requests.split("GET ").length - 1;
	/** The replies that each open connection still waits for. */
	const due = new Map<Socket, number>();
	const sumOfDue = () => due.values().reduce((sum, one) => sum + one, 0);
	const open = async () => {
		const socket = connect(Number(new URL(url).port), "127.0.0.1").setEncoding("latin1");
		context.after(() => socket.destroy());
		let end = "";
		socket.on("data", (text: string) => {
			const replies = (end + text).split("HTTP/1.1 ");
			end = replies.at(-1)?.slice(-8) ?? "";
			due.set(socket, (due.get(socket) ?? 0) - replies.length + 1);
		});
		socket.on("error", () => {}).on("close", () => due.delete(socket));
		await once(socket, "connect");
		due.set(socket, 0);
	};
	/** All connections send while the node is stopped. Resolves once the node, running again, has begun to reply. */
	async function begin(): Promise<void> {
		await Promise.all(Array.from({ length: connections - due.size }, open));
		process.kill("SIGSTOP");
		for (const socket of due.keys()) {
			due.set(socket, count);
			socket.write(requests);
		}
		const all = sumOfDue();
		process.kill("SIGCONT");
		await until("the first reply", () => sumOfDue() < all, { everyMs: 1 });
	}
	return { begin, end: () => until("all replies", () => sumOfDue() === 0) };
}

test("sqlite: a reply shows each create, edit and revocation before it, with 1,300 connections", async (context) => {
	const databaseUrl = temporaryStore(context);
	const environment = { DATABASE_URL: databaseUrl, CONNECTIONS_PER_ADDRESS: "2000" };
	const store = await openStore(databaseUrl, Date.now);
	context.after(() => store.close());
	const issuer = { rows: store.keys, now: Date.now, random: randomBytes };
	const [{ key }, { key: revoked, id }] = [await createKey(issuer, wanted), await createKey(issuer, wanted)];
	const [other, node] = await Promise.all([startProgram(context, environment), startProgram(context, environment)]);
	const [create, ask] = [openAsker(context, other.url), openAsker(context, node.url)];
	const crowd = openCrowd(context, node, get(key, "/v1/pets/1") + get(key, "/v1/pets?limit=100").repeat(2));
	const body = '{"name":"Rex","categoryId":1}';
	for (let round = 0; round < rounds; round++) {
		await crowd.begin();
		const { headers } = await create(`${createHead(key, `Content-Length: ${body.length}\r\n`)}\r\n${body}`);
		assert.equal((await ask(get(key, new URL(headers["location"] ?? "").pathname))).status, 200, "created");
		await crowd.end();
		const list = await ask(get(key, "/v1/pets?limit=2"));
		await crowd.begin();
		await store.edits.apply({ petId: 1n, editor: "me", action: "set-status", status: round % 2 ? "sold" : "pending" });
		const again = get(key, "/v1/pets?limit=2", `If-None-Match: ${list.headers["etag"]}\r\n`);
		assert.equal((await ask(again)).status, 200, "edited");
		await crowd.end();
	}
	const askRevoked = async () => (await ask(get(revoked, "/v1/pets"))).status;
	assert.equal(await askRevoked(), 200);
	await revokeKey(issuer, id);
	const endsAtMs = performance.now() + 1000;
	// The node, which may trust the key for a second, has used it until the end of that second.
	const isOver = async () => (await askRevoked()) > 0 && performance.now() >= endsAtMs;
	await until("a second to pass", isOver, { everyMs: 20 });
	await crowd.begin();
	assert.equal(await askRevoked(), 401);
	await crowd.end();
});
