// Exports for the console and the command: the files, and the end of a download that cannot complete.

import assert from "node:assert/strict";
import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { connect } from "node:net";
import { test } from "node:test";
import { workbookMaxPets } from "../../src/contract/console.ts";
import { createKey, revokeKey } from "../../src/keys/issue.ts";
import { type FindQuery, StorageUnavailable } from "../../src/store/store.ts";
import { posting } from "../support/pool.ts";
import { assertFailure, assertNoErrors, type TestService, testService } from "../support/service.ts";
import { until } from "../support/until.ts";

const order = posting("/console/exports");

/** Sends an order, and reads the file until its end or the end of the connection. */
async function download({ url, key }: TestService, what: object | string) {
	const { path, method, headers, body } = order(what);
	const asked = request(new URL(path, url), {
		...{ agent: false, method },
		headers: { ...headers, Authorization: `Bearer ${key}` },
	});
	asked.end(body);
	const [reply] = (await once(asked, "response")) as [IncomingMessage];
	asked.on("error", () => {});
	const chunks: Buffer[] = [];
	reply.on("data", (chunk: Buffer) => chunks.push(chunk)).on("error", () => {});
	await new Promise((resolve) => reply.on("close", resolve));
	const { statusCode: status, complete: isComplete } = reply;
	return { status, headers: reply.headers, bytes: Buffer.concat(chunks), isComplete };
}

/** The bytes of an order. */
function textOfOrder({ key }: TestService, what: object, version = "1.1"): string {
	const body = JSON.stringify(what);
	const fields = ["Host: a", `Authorization: Bearer ${key}`, "Content-Type: application/json"];
	const head = [`POST /console/exports HTTP/${version}`, ...fields, `Content-Length: ${body.length}`];
	return `${head.join("\r\n")}\r\n\r\n${body}`;
}

const rex = { name: 'Rex; "the" 1st, 犬', categoryId: 9007199254740993n, status: "sold" } as const;

async function serviceWithPets(context: Parameters<typeof testService>[0], options = {}): Promise<TestService> {
	const service = await testService(context, options);
	await service.store.createPet(rex);
	for (const name of ["Mia", "Märchen"]) await service.store.createPet({ name, categoryId: 1n, status: "available" });
	await service.store.createPet({ name: "Bo", categoryId: -5n });
	return service;
}

test("an export is a file of each format with exact numbers, of all or some animals", async (context) => {
	const service = await serviceWithPets(context);
	service.clock.nowMs = Date.parse("2026-12-31T23:59:00Z");
	const types = {
		...{ csv: "text/csv; charset=utf-8", ndjson: "application/x-ndjson", json: "application/json" },
		xlsx: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
	};
	const file = async (what: { format: string; [filter: string]: unknown }) => {
		const { status, headers, bytes, isComplete } = await download(service, what);
		assert.deepEqual([status, isComplete, headers["cache-control"]], [200, true, "no-store"]);
		const extension = what.format.split("-")[0] as keyof typeof types;
		assert.equal(headers["content-type"], types[extension]);
		assert.equal(headers["content-disposition"], `attachment; filename="animals-2026-12-31.${extension}"`);
		return { bytes, text: bytes.toString() };
	};
	const one = '{"id":1,"name":"Rex; \\"the\\" 1st, 犬","categoryId":9007199254740993,"status":"sold"}';
	const [two, three] = ["Mia", "Märchen"].map(
		(name, index) => `{"id":${index + 2},"name":"${name}","categoryId":1,"status":"available"}`,
	);
	const four = '{"id":4,"name":"Bo","categoryId":-5}';
	const csv = await file({ format: "csv" });
	const first = `1,"Rex; ""the"" 1st, 犬",9007199254740993,sold`;
	const rows = [first, "2,Mia,1,available", "3,Märchen,1,available", "4,Bo,-5,"];
	assert.equal(csv.text, `${["id,name,categoryId,status", ...rows].join("\n")}\n`);
	const semicolons = await file({ format: "csv-semicolon", ids: [4] });
	assert.equal(semicolons.text, "\uFEFFid;name;categoryId;status\n4;Bo;-5;\n");
	const lines = await file({ format: "ndjson" });
	assert.equal(lines.text, `${[one, two, three, four].join("\n")}\n`);
	assert.equal((await file({ format: "json", status: "available" })).text, `[\n${two},\n${three}\n]\n`);
	assert.equal((await file({ format: "json", name: "MAR" })).text, `[\n${three}\n]\n`);
	assert.equal((await file({ format: "json", name: "m", status: "sold" })).text, "[]\n");
	assert.equal((await file({ format: "ndjson", ids: [3, 99, 1, 3], status: "pending" })).text, `${one}\n${three}\n`);
	const workbook = await file({ format: "xlsx" });
	assert.equal(workbook.bytes.toString("latin1", 0, 2), "PK");
});

test("an export has every animal once, in order, over any number of searches and pages", async (context) => {
	const service = await testService(context);
	const names = Array.from({ length: 10_150 }, (_, at) => `animal ${at + 1}`);
	for (let at = 0; at < names.length; at += 1000) {
		const rowOf = (name: string) => ({ pet: { name, categoryId: 1n }, idempotencyKey: { caller: "test", key: name } });
		await service.store.createPets(names.slice(at, at + 1000).map(rowOf));
	}
	const exported = async (what: object) => {
		const { bytes } = await download(service, { format: "csv", ...what });
		return bytes.toString().trim().split("\n").slice(1);
	};
	const lines = names.map((name, at) => `${at + 1},${name},1,`);
	assert.deepEqual(await exported({}), lines);
	assert.deepEqual(await exported({ sort: "-id" }), lines.toReversed());
	const ids = Array.from({ length: 250 }, (_, at) => 7 * (250 - at));
	const chosen = ids.toReversed().map((id) => lines[id - 1]);
	assert.deepEqual(await exported({ ids }), chosen);
});

test("an export is sorted and filtered as a search is, and a table has the names of categories", async (context) => {
	const service = await serviceWithPets(context);
	const textOf = async (what: object) => {
		const { status, bytes } = await download(service, what);
		assert.equal(status, 200);
		return bytes.toString();
	};
	const ids = async (what: object) =>
		(await textOf({ format: "ndjson", ...what })).match(/"id":\d+/g)?.map((id) => Number(id.slice(5)));
	assert.deepEqual(await ids({ sort: "-id" }), [4, 3, 2, 1]);
	assert.deepEqual(await ids({ sort: "name" }), [4, 3, 2, 1]);
	assert.deepEqual(await ids({ sort: "-name", category: 1 }), [2, 3]);
	assert.deepEqual(await ids({ category: "9007199254740993" }), [1], "a text of digits is accepted");
	assert.deepEqual(await ids({ name: "-5" }), [4], "animals of the category");
	await service.store.categories.apply([{ id: 1n, name: 'Cat "and" dog' }]);
	const named = '2,Mia,1,"Cat ""and"" dog",available\n4,Bo,-5,,\n';
	assert.equal(await textOf({ format: "csv", ids: [2, 4] }), `id,name,categoryId,category,status\n${named}`);
	assert.equal(await textOf({ format: "ndjson", ids: [4] }), '{"id":4,"name":"Bo","categoryId":-5}\n');
});

test("an order may have 1,000 of the longest ids", async (context) => {
	const service = await testService(context);
	const longest = Array.from({ length: 1000 }, (_, index) => 2n ** 63n - 1n - BigInt(index));
	const { status, bytes } = await download(service, `{"format":"json","ids":[${longest}]}`);
	assert.deepEqual([status, bytes.toString()], [200, "[]\n"]);
});

test("a workbook of more animals than a sheet has rows is refused before its download", async (context) => {
	const service = await testService(context);
	context.mock.method(service.store, "findPets", async ({ status }: FindQuery) => {
		return { pets: [], total: workbookMaxPets + (status === "available" ? 0 : 1) };
	});
	for (const what of [{ format: "xlsx" }, { format: "xlsx", status: "sold" }, { format: "xlsx", category: 7 }]) {
		const reply = await service.send(order(what));
		assertFailure(reply, "invalid_body");
		assert.match(JSON.parse(reply.body).message, /^a workbook holds at most 1048575 animals: choose another format$/);
	}
	const fitting = [{ format: "csv" }, { format: "xlsx", status: "available" }, { format: "xlsx", ids: [1] }];
	for (const what of [...fitting, { format: "xlsx", name: "a text" }])
		assert.equal((await download(service, what)).status, 200);
});

/** A service whose searches find the same animals again and again, without end. */
async function endlessService(context: Parameters<typeof testService>[0]) {
	const service = await serviceWithPets(context);
	const { store } = service;
	const reads = { count: 0, orders: 0, most: 0, failure: undefined as Error | undefined };
	const found = await store.findPets({ limit: 4 });
	const next = { id: 4n };
	context.mock.method(store, "findPets", async ({ name, after, limit }: FindQuery, signal?: AbortSignal) => {
		reads.count++;
		reads.most = Math.max(reads.most, limit);
		if (!after) reads.orders++;
		await new Promise(setImmediate);
		signal?.throwIfAborted();
		if (reads.failure) throw reads.failure;
		return { pets: name === undefined ? Array(100).fill(found.pets).flat() : [], next };
	});
	return { service, reads };
}

test("a client that does not read holds up its export, and one that leaves ends it", async (context) => {
	const { service, reads } = await endlessService(context);
	for (const name of [undefined, "nobody"]) {
		const socket = connect(service.port, "127.0.0.1");
		const asked = textOfOrder(service, { format: "csv", ...(name && { name }) });
		socket.write(asked + asked);
		await until("the export to begin", () => reads.count > 3);
		if (!name) {
			let before = 0;
			await until("the export to wait", async () => {
				before = reads.count;
				await new Promise((resolve) => setTimeout(resolve, 200));
				return reads.count === before;
			});
			assert.ok(before < 2000, `${before} pages were read ahead`);
		}
		socket.resetAndDestroy();
		await until("the export to end", () => service.traffic().requestsInFlight === 0);
		const { count } = reads;
		for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate);
		assert.ok(reads.count <= count + 1, "no more pages are read");
		assert.equal(reads.most, 10_000, "the animals that one search reads");
		reads.count = 0;
	}
	assertNoErrors(service);
});

test("a download breaks off when its key is revoked or expires", async (context) => {
	const { service, reads } = await endlessService(context);
	const newKey = () => createKey(service.issuer, { name: "a", scopes: ["pets:read"], expiresInMs: 3_600_000 });
	const [revoked, expired] = [await newKey(), await newKey()];
	const { mock } = context.mock.method(globalThis, "setInterval");
	const downloads = [revoked, expired].map(({ key }) => download({ ...service, key }, { format: "csv" }));
	const ended = () => service.log.filter((line) => line["error.type"] === "invalid_credential");
	const unread = connect(service.port, "127.0.0.1").pause();
	unread.write(textOfOrder({ ...service, key: revoked.key }, { format: "csv" }));
	await until("the downloads to begin", () => reads.orders === 3);
	assert.equal(mock.calls.filter(({ arguments: [, ms] }) => ms === 200).length, 3, "keys are checked in time");
	await revokeKey(service.issuer, revoked.id);
	await until("the end of two, of which one is not read", () => ended().length === 2);
	unread.resetAndDestroy();
	service.clock.nowMs = Date.now() + 3_600_000;
	await until("the end of the other", () => ended().length === 3);
	for (const { isComplete } of await Promise.all(downloads)) assert.equal(isComplete, false);
	assertNoErrors(service);
});

test("of a key's exports, at most 4 are under way: the next is refused at once", async (context) => {
	const { service, reads } = await endlessService(context);
	const sockets = Array.from({ length: 4 }, () => {
		const socket = connect(service.port, "127.0.0.1").pause();
		socket.write(textOfOrder(service, { format: "csv" }));
		return socket;
	});
	await until("the exports to begin", () => reads.orders === 4);
	const refused = await service.send(order({ format: "csv" }));
	assertFailure(refused, "overloaded");
	assert.match(JSON.parse(refused.body).message, /^4 exports of this API key are under way/);
	const { key } = await createKey(service.issuer, { name: "other", scopes: ["pets:read"] });
	assert.equal((await download({ ...service, key }, { format: "csv", ids: [1] })).status, 200);
	for (const socket of sockets) socket.resetAndDestroy();
	const status = async () => (await download(service, { format: "csv", ids: [1] })).status;
	await until("a place", async () => (await status()) === 200);
});

test("an export that fails in the middle breaks off the connection, for clients of HTTP/1.0, too", async (context) => {
	const { service, reads } = await endlessService(context);
	const downloading = download(service, { format: "ndjson" });
	await until("the export to begin", () => reads.count > 3);
	reads.failure = new StorageUnavailable("the server is away");
	const { status, isComplete } = await downloading;
	assert.deepEqual([status, isComplete], [200, false]);
	reads.failure = undefined;
	const socket = connect(service.port, "127.0.0.1").resume();
	const failed = once(socket, "error");
	socket.write(textOfOrder(service, { format: "ndjson" }, "1.0"));
	const { count } = reads;
	await until("the export to begin", () => reads.count > count + 3);
	reads.failure = new Error("a bug");
	const [error] = await failed;
	assert.equal(error.code, "ECONNRESET");
	const lines = await until("the lines of the requests", () => {
		const found = service.log.filter((line) => line["http.route"] === "/console/exports" && line["msg"] === "request");
		return found.length === 2 && found;
	});
	for (const [index, code] of ["storage_unavailable", "internal_error"].entries())
		assert.deepEqual([lines[index]?.["http.response.status_code"], lines[index]?.["error.type"]], [200, code]);
	const errors = service.log.filter(({ level }) => level === "error");
	const causes = errors.map(({ cause, err }) => cause ?? (err as Error).message);
	assert.deepEqual(causes, ["the server is away", "a bug"]);
});
