// A reply shows all that another process has committed before its request, also beside many busy connections.

import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { connect } from "node:net";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { scopes } from "../../src/contract/operations.ts";
import { createKey } from "../../src/keys/issue.ts";
import { openStore } from "../../src/store/open.ts";
import { type Running, runProgram, startProgram } from "../support/program.ts";
import { temporaryFolder } from "../support/service.ts";
import { within } from "../support/until.ts";
import { Connection, type Reply } from "../support/wire.ts";

const connections = 1_300;
const rounds = 3;
/** So many that a page with the limit 100 is not full: another animal can join it, so its rows are read each time. */
const animals = 60;
const wanted = { name: "proof", scopes: [...scopes] };

function request(key: string, line: string, fields: string[] = [], content = ""): string {
	const type = content === "" ? [] : ["Content-Type: application/json", `Content-Length: ${content.length}`];
	const head = [`${line} HTTP/1.1`, "Host: localhost", `Authorization: Bearer ${key}`, ...type, ...fields];
	return `${head.join("\r\n")}\r\n\r\n${content}`;
}

/** A kept-alive connection. @returns a function that sends a text, and resolves with the next replies */
function openAsker(context: TestContext, { url }: Running) {
	const connection = new Connection(Number(new URL(url).port));
	context.after(() => connection.end());
	return async (text: string, count = 1): Promise<(Reply | undefined)[]> => {
		connection.socket.write(text);
		const replies: (Reply | undefined)[] = [];
		while (replies.length < count) replies.push(await within("a reply", connection.next(false)));
		return replies;
	};
}

/** Connections that all send at once. A third pipelines, and a third sends each request in two pieces. */
async function openCrowd(context: TestContext, node: Running, texts: string[]) {
	let first = Promise.withResolvers<void>();
	let all = Promise.withResolvers<void>();
	let isOver = () => true;
	let busy = 0;

	async function join(place: number): Promise<() => void> {
		const socket = connect(Number(new URL(node.url).port), "127.0.0.1").setNoDelay();
		context.after(() => socket.destroy());
		const text = texts[place % texts.length] as string;
		let due = 0;
		function send(): void {
			due = place % 3 === 0 ? 3 : 1;
			if (place % 3 === 0) socket.write(text.repeat(due));
			if (place % 3 === 1) socket.write(text.slice(0, 30));
			if (place % 3 === 1) setImmediate(() => socket.write(text.slice(30)));
			if (place % 3 === 2) socket.write(text);
		}
		socket.on("data", (bytes) => {
			first.resolve();
			due -= bytes.toString("latin1").split("HTTP/1.1 ").length - 1;
			if (due > 0) return;
			if (!isOver()) return send();
			if (--busy === 0) all.resolve();
		});
		await once(socket, "connect");
		return send;
	}
	const members = await Promise.all(Array.from({ length: connections }, (_, place) => join(place)));

	/**
	 * All send while the node is stopped, then `last` runs; after each reply they send again, until `until` returns true.
	 * @returns once the node has begun to answer; `all` resolves when it has answered all
	 */
	return async (last = () => {}, until = () => true): Promise<{ all: Promise<void> }> => {
		[first, all, isOver, busy] = [Promise.withResolvers(), Promise.withResolvers(), until, connections];
		node.process.kill("SIGSTOP");
		for (const send of members) send();
		last();
		// The second halves of split requests.
		await new Promise(setImmediate);
		node.process.kill("SIGCONT");
		await within("the first reply", first.promise);
		return { all: within("all replies", all.promise) };
	};
}

test("sqlite: a reply shows each create, edit and revocation before it, with 1,300 connections", async (context) => {
	const databaseUrl = `sqlite:${join(temporaryFolder(context), "animals.db")}`;
	const environment = { DATABASE_URL: databaseUrl, CONNECTIONS_PER_ADDRESS: "2000" };
	const store = await openStore(databaseUrl, Date.now);
	context.after(() => store.close());
	const issuer = { rows: store.keys, now: Date.now, random: randomBytes };
	const [{ key }, { key: revoked, id }] = [await createKey(issuer, wanted), await createKey(issuer, wanted)];
	const [writing, busy] = await Promise.all([
		startProgram(context, environment),
		startProgram(context, environment),
		...Array.from({ length: animals }, () => store.createPet({ name: "Rex", categoryId: 1n })),
	]);
	const [writer, reader, other] = [openAsker(context, writing), openAsker(context, busy), openAsker(context, busy)];
	const list = "GET /v1/pets?limit=2";
	const crowd = await openCrowd(context, busy, [
		request(key, "GET /v1/pets/1"),
		request(key, "GET /v1/pets?limit=100"),
	]);
	const statuses: Record<string, unknown[]> = { get: [], following: [], conditional: [] };
	for (let round = 0; round < rounds; round++) {
		const created = await crowd(() => void reader(request(key, list), 0));
		const [create] = await writer(request(key, "POST /v1/pets", [], JSON.stringify({ name: "Rex", categoryId: 1 })));
		const get = request(key, `GET ${create?.headers["location"]}`);
		const [[alone], [listed, following]] = await Promise.all([other(get), reader(get, 2)]);
		await created.all;
		const edited = await crowd();
		const status = round % 2 ? "sold" : "pending";
		await store.edits.apply({ petId: 1n, editor: "me", action: "set-status", status });
		const [conditional] = await other(request(key, list, [`If-None-Match: ${listed?.headers["etag"]}`]));
		await edited.all;
		statuses["get"]?.push(alone?.status);
		statuses["following"]?.push(following?.status);
		statuses["conditional"]?.push(conditional?.status);
	}
	for (const [name, all] of Object.entries(statuses)) {
		// An overloaded machine answers 503, which is not a stale reply.
		const answered = all.filter((status) => status !== 503);
		assert.deepEqual([...new Set(answered)], [200], `${name}: ${all}`);
	}

	const ask = async () => (await other(request(revoked, list)))[0]?.status;
	assert.equal(await ask(), 200);
	let isOver = false;
	const load = await crowd(undefined, () => isOver);
	const revoking = runProgram(["keys", "revoke", id], { environment });
	let endsAtMs = Infinity;
	void revoking.then(() => {
		endsAtMs = performance.now() + 1000;
	});
	for (;;) {
		const sentAtMs = performance.now();
		const status = await ask();
		if (sentAtMs < endsAtMs || status === 503) continue;
		assert.equal(status, 401);
		break;
	}
	assert.equal((await revoking).code, 0);
	isOver = true;
	await load.all;
});
