// Exports for the console: the files, the tickets that stand for a key, and the end of a download that cannot complete.

import assert from "node:assert/strict";
import { once } from "node:events";
import { get, type IncomingMessage } from "node:http";
import { connect } from "node:net";
import { test } from "node:test";
import { workbookMaxPets } from "../../src/contract/console.ts";
import { createKey } from "../../src/keys/issue.ts";
import { type FindQuery, StorageUnavailable } from "../../src/store/store.ts";
import { startProgram } from "../support/program.ts";
import {
	assertFailure,
	assertInvalid,
	assertNoErrors,
	consoleReply,
	posting,
	revoke,
	type TestService,
	testService,
} from "../support/service.ts";
import { until } from "../support/until.ts";

const order = posting("/console/exports");

async function pathOf(service: TestService, what: object, headers = {}): Promise<string> {
	const { path } = JSON.parse(await consoleReply(service, order(what, headers)));
	assert.match(path, /^\/console\/exports\/[\w-]+$/);
	return path;
}

/** Downloads like a browser, without the key. */
async function download(url: string, path: string, method = "GET") {
	const request = get(new URL(path, url), { agent: false, method });
	const [reply] = (await once(request, "response")) as [IncomingMessage];
	request.on("error", () => {});
	const chunks: Buffer[] = [];
	reply.on("data", (chunk: Buffer) => chunks.push(chunk)).on("error", () => {});
	await new Promise((resolve) => reply.on("close", resolve));
	const { statusCode: status, headers, complete: isComplete } = reply;
	return { status, headers, bytes: Buffer.concat(chunks), isComplete };
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
	const file = async (what: object) => {
		const { status, headers, bytes, isComplete } = await download(service.url, await pathOf(service, what));
		assert.deepEqual([status, isComplete, headers["cache-control"]], [200, true, "no-store"]);
		return { headers, bytes, text: bytes.toString() };
	};
	const one = '{"id":1,"name":"Rex; \\"the\\" 1st, 犬","categoryId":9007199254740993,"status":"sold"}';
	const [two, three] = ["Mia", "Märchen"].map(
		(name, index) => `{"id":${index + 2},"name":"${name}","categoryId":1,"status":"available"}`,
	);
	const four = '{"id":4,"name":"Bo","categoryId":-5}';
	const csv = await file({ format: "csv" });
	assert.equal(csv.headers["content-disposition"], 'attachment; filename="animals-2026-12-31.csv"');
	assert.equal(csv.headers["content-type"], "text/csv; charset=utf-8");
	const rows = [
		`1,"Rex; ""the"" 1st, 犬",9007199254740993,sold`,
		"2,Mia,1,available",
		"3,Märchen,1,available",
		"4,Bo,-5,",
	];
	assert.equal(csv.text, `\uFEFF${["id,name,categoryId,status", ...rows].join("\n")}\n`);
	const semicolons = await file({ format: "csv-semicolon", ids: [4] });
	assert.equal(semicolons.headers["content-disposition"], 'attachment; filename="animals-2026-12-31.csv"');
	assert.equal(semicolons.text, "\uFEFFid;name;categoryId;status\n4;Bo;-5;\n");
	const lines = await file({ format: "ndjson" });
	assert.deepEqual(
		[lines.text, lines.headers["content-type"]],
		[`${[one, two, three, four].join("\n")}\n`, "application/x-ndjson"],
	);
	assert.equal((await file({ format: "json", status: "available" })).text, `[\n${two},\n${three}\n]\n`);
	assert.equal((await file({ format: "json", name: "MAR" })).text, `[\n${three}\n]\n`);
	assert.equal((await file({ format: "json", name: "m", status: "sold" })).text, "[]\n");
	assert.equal((await file({ format: "ndjson", ids: [3, 99, 1, 3], status: "pending" })).text, `${one}\n${three}\n`);
	const workbook = await file({ format: "xlsx" });
	assert.match(workbook.headers["content-disposition"] ?? "", /\.xlsx"$/);
	assert.equal(workbook.bytes.toString("latin1", 0, 2), "PK");
	const head = await download(service.url, await pathOf(service, { format: "csv" }), "HEAD");
	assert.deepEqual(
		[head.status, head.bytes.length, head.headers["content-type"]],
		[200, 0, csv.headers["content-type"]],
	);
});

test("an export has every animal once, in order, over any number of searches and pages", async (context) => {
	const { store, ...service } = await testService(context);
	const names = Array.from({ length: 10_150 }, (_, at) => `animal ${at + 1}`);
	for (let at = 0; at < names.length; at += 1000) {
		const rows = names.slice(at, at + 1000).map((name) => ({
			pet: { name, categoryId: 1n },
			idempotencyKey: { caller: "test", key: name },
		}));
		await store.createPets(rows);
	}
	const exported = async (what: object) => {
		const { bytes } = await download(service.url, await pathOf({ store, ...service }, { format: "csv", ...what }));
		return bytes.toString().trim().split("\n").slice(1);
	};
	const lines = names.map((name, at) => `${at + 1},${name},1,`);
	assert.deepEqual(await exported({}), lines);
	assert.deepEqual(await exported({ sort: "-id" }), lines.toReversed());
	const ids = Array.from({ length: 250 }, (_, at) => 7 * (250 - at));
	assert.deepEqual(
		await exported({ ids }),
		ids.toReversed().map((id) => lines[id - 1]),
	);
});

test("an export is sorted and filtered as a search is, and a table has the names of categories", async (context) => {
	const service = await serviceWithPets(context);
	const textOf = async (what: object) => {
		const { status, bytes } = await download(service.url, await pathOf(service, what));
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
	assert.equal(await textOf({ format: "csv", ids: [2, 4] }), `\uFEFFid,name,categoryId,category,status\n${named}`);
	assert.equal(await textOf({ format: "ndjson", ids: [4] }), '{"id":4,"name":"Bo","categoryId":-5}\n');
});

test("orders that are not valid are refused, and so are other methods", async (context) => {
	const service = await testService(context);
	await assertInvalid(service, order, [
		["[]", /must be a JSON object|format is required/],
		[{}, /format is required/],
		[{ format: "pdf" }, /format must be one of csv, ndjson/],
		[{ format: "csv", status: "gone" }, /status must be one of/],
		[{ format: "csv", name: "" }, /name must be/],
		[{ format: "csv", ids: 1 }, /ids must be a list of at most 1000/],
		[{ format: "csv", ids: ["1"] }, /ids must be/],
		[{ format: "csv", ids: Array.from({ length: 1001 }, (_, id) => id) }, /ids must be/],
		[{ format: "csv", sort: "age" }, /sort must be one of id, -id, name, -name/],
		[{ format: "csv", category: "x" }, /category must be an integer/],
	]);
	const most = Array.from({ length: 1000 }, (_, index) => 1_000_000 + 997 * index);
	const { status, bytes } = await download(service.url, await pathOf(service, { format: "json", ids: most }));
	assert.deepEqual([status, bytes.toString()], [200, "[]\n"]);
	assertFailure(await service.send({ path: "/console/exports" }), "method_not_allowed");
	const path = await pathOf(service, { format: "csv" });
	assertFailure(await service.send({ method: "DELETE", path }), "method_not_allowed");
	assertFailure(
		await service.send({ method: "DELETE", path, headers: { Authorization: undefined } }),
		"missing_credential",
	);
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
	for (const what of fitting) await pathOf(service, what);
});

test("a ticket works for a minute on every node, as long as its key, and no other text does", async (context) => {
	const service = await serviceWithPets(context, { isOnTerminal: true });
	const statusOf = async (path: string) => {
		const { status, bytes } = await download(service.url, path);
		return status === 200 ? 200 : JSON.parse(bytes.toString()).code;
	};
	const issuedAtMs = Date.now();
	const path = await pathOf(service, { format: "json" });
	const node = await startProgram(context, { DATABASE_URL: service.databaseUrl });
	assert.equal((await download(node.url, path)).bytes.toString().match(/"id"/g)?.length, 4);
	assert.equal(await statusOf(path), 200);
	const start = "/console/exports/".length;
	const end = path.length - 1;
	for (const at of [start, start + 42, start + 43, end])
		assert.equal(
			await statusOf(path.slice(0, at) + (path[at] === "A" ? "B" : "A") + path.slice(at + 1)),
			"invalid_credential",
			`${at}`,
		);
	for (const other of ["", "a", path.slice(start, start + 43), `${path.slice(start)}a`])
		assert.match(await statusOf(`/console/exports/${other}`), /invalid_credential/, other);
	const asked = service.log.filter((line) => line["http.route"] === "/console/exports/:ticket");
	assert.ok(asked.some(({ keyId }) => /^key_/.test(String(keyId))));
	await service.send({ method: "DELETE", path });
	assert.ok(!JSON.stringify(service.log).includes(path.slice(start, start + 20)), "no ticket is logged");
	service.clock.nowMs = issuedAtMs + 59_000;
	assert.equal(await statusOf(path), 200);
	service.clock.nowMs += 20_000;
	assert.equal(await statusOf(path), "invalid_credential");
	service.clock.nowMs = undefined;
	const rated = await createKey(service.issuer, { name: "rated", scopes: ["pets:read"], rate: "2/1h" });
	const ofRated = await pathOf(service, { format: "csv" }, { Authorization: `Bearer ${rated.key}` });
	assert.deepEqual([await statusOf(ofRated), await statusOf(ofRated)], [200, "rate_limited"]);
	const gone = await createKey(service.issuer, { name: "gone", scopes: ["pets:read"] });
	const ofGone = await pathOf(service, { format: "csv" }, { Authorization: `Bearer ${gone.key}` });
	await revoke(service, gone);
	assert.equal(await statusOf(ofGone), "invalid_credential");
	const short = await createKey(service.issuer, { name: "short", scopes: ["pets:read"], expiresInMs: 30_000 });
	const ofShort = await pathOf(service, { format: "csv" }, { Authorization: `Bearer ${short.key}` });
	service.clock.nowMs = Date.now() + 30_000;
	assert.equal(await statusOf(ofShort), "invalid_credential", "the key has expired before the ticket");
});

/** A service whose searches find the same animals again and again, without end. */
async function endlessService(context: Parameters<typeof testService>[0]) {
	const service = await serviceWithPets(context);
	const { store } = service;
	const reads = { count: 0, fail: false };
	const found = await store.findPets({ limit: 4 });
	const next = { id: 4n };
	context.mock.method(store, "findPets", async ({ name }: FindQuery, signal?: AbortSignal) => {
		reads.count++;
		await new Promise(setImmediate);
		signal?.throwIfAborted();
		if (reads.fail) throw new StorageUnavailable("the server is away");
		return { pets: name === undefined ? Array(100).fill(found.pets).flat() : [], next };
	});
	return { service, reads };
}

test("a client that does not read holds up its export, and one that leaves ends it", async (context) => {
	const { service, reads } = await endlessService(context);
	for (const name of [undefined, "nobody"]) {
		const path = await pathOf(service, { format: "csv", ...(name && { name }) });
		const socket = connect(service.port, "127.0.0.1");
		const request = `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`;
		socket.write(request + request);
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
		reads.count = 0;
	}
	assertNoErrors(service);
});

test("an export that fails in the middle breaks off the connection, for clients of HTTP/1.0, too", async (context) => {
	const { service, reads } = await endlessService(context);
	const path = await pathOf(service, { format: "ndjson" });
	const downloading = download(service.url, path);
	await until("the export to begin", () => reads.count > 3);
	reads.fail = true;
	const { status, isComplete } = await downloading;
	assert.deepEqual([status, isComplete], [200, false]);
	reads.fail = false;
	const socket = connect(service.port, "127.0.0.1").resume();
	const failed = once(socket, "error");
	socket.write(`GET ${path} HTTP/1.0\r\n\r\n`);
	const { count } = reads;
	await until("the export to begin", () => reads.count > count + 3);
	reads.fail = true;
	const [error] = await failed;
	assert.equal(error.code, "ECONNRESET");
	const lines = await until("the lines of the requests", () => {
		const found = service.log.filter((line) => line["http.route"] === "/console/exports/:ticket");
		return found.length === 2 && found;
	});
	for (const line of lines)
		assert.deepEqual([line["http.response.status_code"], line["error.type"]], [200, "storage_unavailable"]);
	const errors = service.log.filter(({ level }) => level === "error");
	const causes = errors.map(({ cause }) => cause);
	assert.deepEqual(causes, ["the server is away", "the server is away"]);
});

test("the log line of an export that fails by a bug has its route, and not its ticket", async (context) => {
	const service = await serviceWithPets(context);
	context.mock.method(service.store, "findPets", () => Promise.reject(new TypeError("a bug")));
	const path = await pathOf(service, { format: "csv" });
	await download(service.url, path).catch(() => {}); // The download fails, before or after the reply's head.
	const line = await until("the line", () => service.log.find((line) => line["error.type"] === "internal_error"));
	assert.equal(line["http.route"], "/console/exports/:ticket");
	assert.ok(!JSON.stringify(service.log).includes(path.slice("/console/exports/".length)));
});
