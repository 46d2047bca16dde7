// `animal-store export` writes complete files or none, and the files can be imported again.

import assert from "node:assert/strict";
import fs, { existsSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { openImportFile } from "../../src/cli/import-file.ts";
import { readRows } from "../../src/files/rows.ts";
import { StorageUnavailable } from "../../src/store/store.ts";
import { assertRefused, call } from "../support/command.ts";
import { listAll } from "../support/ledger.ts";
import { listenFor } from "../support/listen.ts";
import { assertProgramRefused, begin } from "../support/program.ts";
import { temporaryFolder, testService } from "../support/service.ts";
import { until } from "../support/until.ts";

/** A service with animals, and a function that runs `export` in a new folder. */
async function exporter(context: TestContext, animals = 120) {
	const service = await testService(context);
	const created = Array.from({ length: animals }, (_, n) => {
		const status = (["available", "pending", "sold", undefined] as const)[n % 4];
		const categoryId = n % 2 ? 2n ** 63n - 1n - BigInt(n) : -(2n ** 63n) + BigInt(n);
		return service.store.createPet({ name: `"${n}", =1+1 \u{1F408}\u2028 '`, categoryId, ...(status && { status }) });
	});
	await Promise.all(created);
	const folder = temporaryFolder(context);
	const environment = { ANIMAL_STORE_URL: service.url, ANIMAL_STORE_KEY: service.key };
	return {
		service,
		folder,
		environment,
		path: (name: string) => join(folder, name),
		run: (...parameters: string[]) => call(["export", ...parameters], { environment, folder }),
		refuses: (file: string, said: RegExp, ...more: string[]) =>
			assertRefused([[["export", file, ...more], said]], { environment, folder }),
	};
}

test("an export in each format can be imported again, field for field", async (context) => {
	const { service, run, path, folder } = await exporter(context);
	const expected = (await listAll(service.url, service.key)).map(({ id: _id, ...pet }) => pet);
	const name = 'Dog, "7"';
	const named = 2n ** 63n - 2n;
	await service.store.categories.apply([{ id: named, name }]);
	const formats = { "a.JSON": "json", "a.csv": "csv", "a.jsonl": "ndjson", "a.ndjson": "ndjson", "a.xlsx": "csv" };
	for (const [file, format] of Object.entries(formats)) {
		const { code, stdout, stderr } = await run(file);
		assert.deepEqual([code, stdout, stderr], [0, "", `${statSync(path(file)).size} bytes exported to ${file}\n`]);
		const { source, kind } = await openImportFile(path(file), new AbortController().signal);
		assert.deepEqual([kind.format, kind.sheet !== undefined], [format, file === "a.xlsx"]);
		const rows = (await Array.fromAsync(readRows(source, kind, { onUnused: assert.fail }))).flat();
		const pets = rows.map(({ pet }) => pet);
		assert.deepEqual(pets, expected, file);
		const given = rows.find(({ pet }) => pet?.categoryId === named)?.given;
		if (given?.text !== undefined) assert.doesNotMatch(given.text, /Dog/, "no name in JSON");
		else assert.deepEqual(given?.cells.slice(2), [String(named), name, "pending"]);
	}
	assert.deepEqual(readdirSync(folder).sort(), Object.keys(formats));
});

test("standard output is NDJSON or the --format, filtered by --status", async (context) => {
	const { run } = await exporter(context, 8);
	const all = await run();
	assert.deepEqual([all.code, all.stderr], [0, `${Buffer.byteLength(all.stdout)} bytes exported\n`]);
	const lines = all.stdout.trimEnd().split("\n");
	assert.equal(lines.length, 8);
	assert.match(lines[0] ?? "", /^\{"id":1,[\s\S]*"categoryId":-9223372036854775808,"status":"available"\}$/);
	const sold = await run("--format", "csv", "--status", "sold");
	assert.equal(sold.stdout.trimEnd().split("\n").length, 3, "a header and two animals");
	const german = await run("-", "--format", "csv-semicolon", "--status", "sold");
	const workbook = await run("-", "--format", "xlsx");
	assert.match(workbook.stdout, /^PK\u0003\u0004.{0,40}\[Content_Types\]\.xml/s);
	assert.equal(german.stdout.split("\n")[0], "\uFEFFid;name;categoryId;status", "- is standard output");
	assert.equal(JSON.parse((await run("--format", "json")).stdout).length, 8);
	assert.equal((await run("--format", "json", "--status", "pending", "--key", "x")).stdout, "");
});

test("an existing file is replaced only with --force, and an unknown extension needs a --format", async (context) => {
	const { run, path, refuses } = await exporter(context, 3);
	writeFileSync(path("a.csv"), "mine");
	await refuses("a.csv", /a\.csv exists already: name another file, or replace it with --force\n$/);
	assert.equal(readFileSync(path("a.csv"), "utf8"), "mine");
	assert.equal((await run("a.csv", "--force")).code, 0);
	assert.match(readFileSync(path("a.csv"), "utf8"), /^id,name/);
	writeFileSync(path("a.csv"), "mine");
	symlinkSync("a.csv", path("c.csv.part"));
	assert.equal((await run("c.csv", "--force")).code, 0);
	assert.equal(readFileSync(path("a.csv"), "utf8"), "mine", "a link at the partial file's name is not followed");
	writeFileSync(path("b.csv.part"), "theirs");
	await refuses("b.csv", /b\.csv\.part exists: another export is writing it, or one was killed/);
	assert.equal(readFileSync(path("b.csv.part"), "utf8"), "theirs");
	await refuses("a.txt", /the format of a\.txt is unknown: add --format/);
	assert.equal((await run("a.txt", "--format", "json")).code, 0);
	await refuses(".", /^animal-store: \. is a folder: name a file in it\n$/, "--format", "csv");
	await refuses("-", /^animal-store: --json needs a file: .*\n$/, "--json");
	assert.match((await run("d.csv", "--json")).stdout, /^\{"bytes":\d{2,},"file":"d\.csv"\}\n$/);
	await refuses("none/a.csv", /none\/a\.csv cannot be used: no such file or directory\n$/);
});

test("an export to a full disk fails with one sentence and leaves no partial file", async (context) => {
	const { folder, environment, refuses } = await exporter(context, 2000);
	const tooLarge = /: a\.csv cannot be written: file too large; the export was not kept/;
	const limited = { environment, folder, under: ["prlimit", "--fsize=65536"] };
	await assertProgramRefused([[["export", "a.csv"], tooLarge]], limited);
	assert.deepEqual(readdirSync(folder), []);
	const full = /^animal-store: \/dev\/full cannot be written: no space left on device; the export was not/;
	await refuses("/dev/full", full, "--format", "csv");
	const unwritten = /^animal-store: the output cannot be written: no space left on device\n$/;
	const under = ["bash", "-c", '"$@" > /dev/full', "-"];
	await assertProgramRefused([[["export"], unwritten]], { environment, under });
});

test("an export that fails in the middle, or is stopped by Ctrl-C, leaves no partial file", async (context) => {
	const { service, folder, environment } = await exporter(context, 100);
	const { store } = service;
	const found = await store.findPets({ limit: 100 });
	for (const [end, expected, said] of [
		["failure", 1, /^animal-store: no reply from .*: the connection was lost \(.*\n$/],
		["SIGINT", 130, /^animal-store: interrupted: the export is not complete\n$/],
	] as const) {
		let [reads, fails] = [0, false];
		const endless = context.mock.method(store, "findPets", async () => {
			reads++;
			await new Promise(setImmediate);
			if (fails) throw new StorageUnavailable("the server is away");
			return { pets: found.pets, next: { id: 1n } };
		});
		const exporting = begin(["export", "a.csv"], { environment, folder });
		context.after(() => exporting.child.kill("SIGKILL"));
		await until("the export to write", () => reads > 3 && existsSync(join(folder, "a.csv.part")));
		if (end === "failure") fails = true;
		else exporting.child.kill(end);
		const { code, stderr } = await exporting.finished;
		assert.equal(code, expected, stderr);
		assert.match(stderr, said);
		assert.deepEqual(readdirSync(folder), []);
		endless.mock.restore();
	}
});

test("another server's reply is not taken for an export", async (context) => {
	const { refuses, folder } = await exporter(context, 1);
	const other = createServer((_, response) => response.end('{"path":"/console/exports/x"}'));
	const url = `http://127.0.0.1:${await listenFor(context, other)}`;
	await refuses("a.json", /^animal-store: the reply is not a file \(unexpected_reply\): is this/, "--url", url);
	other.removeAllListeners("request");
	other.on("request", (_, response) => response.writeHead(403, { "content-disposition": "attachment" }).end("blocked"));
	await refuses("a.json", /\(unexpected_reply\)|403/, "--url", url);
	assert.deepEqual(readdirSync(folder), []);
});

test("an export is synced before it gets its name", async (context) => {
	const { run, path } = await exporter(context, 3);
	const calls: string[] = [];
	const { fsync } = fs;
	context.mock.method(fs, "fsync", (...given: Parameters<typeof fsync>) => {
		calls.push(`synced, there: ${existsSync(path("a.csv"))}`);
		fsync(...given);
	});
	await run("a.csv");
	assert.deepEqual(calls, ["synced, there: false"]);
	assert.match(readFileSync(path("a.csv"), "utf8"), /^id,name/);
});
