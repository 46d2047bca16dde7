// `animal-store export` writes complete files or none, and the files can be imported again.

import assert from "node:assert/strict";
import fs, { existsSync, openAsBlob, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { Command } from "commander";
import { exportCommand } from "../../src/cli/export.ts";
import { readRows } from "../../src/files/rows.ts";
import { readWorkbook } from "../../src/files/workbook.ts";
import { StorageUnavailable } from "../../src/store/store.ts";
import { assertRefused, call } from "../support/command.ts";
import { listAll } from "../support/ledger.ts";
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
		programRefuses: (under: string[], file: string, said: RegExp) =>
			assertProgramRefused([[["export", file], said]], { environment, folder, under }),
	};
}

test("an export in each format can be imported again, field for field", async (context) => {
	const { service, run, path, folder } = await exporter(context);
	const expected = (await listAll(service.url, service.key)).map(({ id: _id, ...pet }) => pet);
	const name = 'Dog, "7"';
	await service.store.categories.apply([{ id: 2n ** 63n - 2n, name }]);
	const other = await testService(context);
	for (const file of ["a.csv", "a.jsonl", "a.ndjson", "a.json"]) {
		const { code, stdout, stderr } = await run(file);
		assert.deepEqual([code, stdout, stderr], [0, "", `${statSync(path(file)).size} bytes exported to ${file}\n`]);
		if (file === "a.ndjson") assert.equal(readFileSync(path(file), "utf8"), readFileSync(path("a.jsonl"), "utf8"));
		if (file === "a.jsonl") continue;
		const names = file === "a.csv" ? ['9223372036854775806,"Dog, ""7""",pending'] : [];
		assert.deepEqual(readFileSync(path(file), "utf8").match(/[^,]*,"Dog.*$/gm) ?? [], names, "no name in JSON");
		const environment = { ANIMAL_STORE_URL: other.url, ANIMAL_STORE_KEY: other.key };
		const imported = await call(["import", path(file)], { environment });
		assert.equal(imported.code, 0, imported.stderr);
		const pets = (await listAll(other.url, other.key)).map(({ id: _id, ...pet }) => pet);
		assert.deepEqual(pets.splice(-expected.length), expected, file);
		assert.equal(pets.length % expected.length, 0);
	}
	assert.equal((await run("a.xlsx")).code, 0);
	const { source, kind } = await readWorkbook(await openAsBlob(path("a.xlsx")));
	const rows = (await Array.fromAsync(readRows(source, kind, { onUnused: assert.fail }))).flat();
	const given = rows.find(({ pet }) => pet?.categoryId === 2n ** 63n - 2n)?.given;
	assert.deepEqual(Object(given).cells.slice(2), ["9223372036854775806", name, "pending"]);
	const pets = rows.map(({ pet }) => pet);
	assert.deepEqual(pets, expected);
	assert.deepEqual(readdirSync(folder).sort(), ["a.csv", "a.json", "a.jsonl", "a.ndjson", "a.xlsx"]);
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
	await refuses("none/a.csv", /none\/a\.csv cannot be used: no such file or directory\n$/);
});

test("an export to a full disk fails with one sentence and leaves no partial file", async (context) => {
	const { folder, refuses, programRefuses } = await exporter(context, 2000);
	const limited = ["prlimit", "--fsize=65536"];
	await programRefuses(limited, "a.csv", /: a\.csv cannot be written: file too large; the export was not kept/);
	assert.deepEqual(readdirSync(folder), []);
	const full = /^animal-store: \/dev\/full cannot be written: no space left on device; the export was not/;
	await refuses("/dev/full", full, "--format", "csv");
	const toFull = ["bash", "-c", '"$@" > /dev/full', "-"];
	await programRefuses(toFull, "-", /^animal-store: the output cannot be written: no space left on device\n$/);
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
	await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
	context.after(() => other.close());
	const url = `http://127.0.0.1:${(other.address() as AddressInfo).port}`;
	await refuses("a.json", /^animal-store: the reply is not a file \(unexpected_reply\): is this/, "--url", url);
	other.removeAllListeners("request");
	other.on("request", (_, response) => response.writeHead(403, { "content-disposition": "attachment" }).end("blocked"));
	await refuses("a.json", /\(unexpected_reply\)|403/, "--url", url);
	assert.deepEqual(readdirSync(folder), []);
});

test("an export is synced before it gets its name", async (context) => {
	const { service, path } = await exporter(context, 3);
	const calls: string[] = [];
	const { fsync } = fs;
	context.mock.method(fs, "fsync", (...given: Parameters<typeof fsync>) => {
		calls.push(`synced, there: ${existsSync(path("a.csv"))}`);
		fsync(...given);
	});
	context.mock.method(console, "error", () => {});
	const parameters = [path("a.csv"), "--url", service.url, "--key", service.key];
	const command = new Command();
	exportCommand(command);
	await command.parseAsync(parameters, { from: "user" });
	assert.deepEqual(calls, ["synced, there: false"]);
	assert.match(readFileSync(path("a.csv"), "utf8"), /^id,name/);
});
