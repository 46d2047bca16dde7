// `import` refuses broken files of any size without using much memory, wrong keys, and services without imports.

import assert from "node:assert/strict";
import { createReadStream, existsSync, mkdirSync, readdirSync, symlinkSync, utimesSync } from "node:fs";
import { createServer, type RequestListener } from "node:http";
import { text } from "node:stream/consumers";
import { type TestContext, test } from "node:test";
import { Command } from "commander";
import { importCommand } from "../../src/cli/import.ts";
import { limited } from "../../src/cli/import-file.ts";
import { createKey } from "../../src/keys/issue.ts";
import { assertRefused } from "../support/command.ts";
import { assertImported, importer } from "../support/importer.ts";
import { listenFor } from "../support/listen.ts";
import { runProgram } from "../support/program.ts";
import { temporaryFolder } from "../support/service.ts";

test("a malformed file is refused with its line number, and nothing is sent", async (context) => {
	const { service, environment, write, path } = await importer(context);
	const files = {
		quote: 'name,categoryId\nRex,1\n"Rex,2\nAnn,3\n',
		same: "name,name,categoryId\nRex,Rex,1\n",
		alike: "name,Name,categoryId\nRex,Rex,1\n",
	};
	for (const [name, content] of Object.entries(files)) write(name, content);
	const rows: [file: string, said: RegExp][] = [
		["quote", /^.*quote, line 3: a quote opens here and is not closed within 65536 characters.*\n$/],
		["same", /^.*match name: "name", "name" \(#1, #2\); .*\n.*\nanimal-store import same --map 'name=#2'\n$/s],
		["alike", /^.*match name: "name", "Name" \(#1, #2\); .*\n.*\nanimal-store import alike --map 'name=#2'\n$/s],
		["none.csv", /^.*none\.csv cannot be used: no such file or directory\n$/],
		[".", /^.*\. is a folder: name a file in it\n$/],
	];
	const called = rows.map(([file, said]): [string[], RegExp] => [["import", file], said]);
	await assertRefused(called, { environment, folder: path(".") });
	assert.ok(!service.log.some((line) => line["http.route"] === "/console/imports"));
	assert.deepEqual(readdirSync(path(".")).sort(), ["alike", "quote", "same", "tmp"]);
});

test("a file of 100,000 rows needs only the memory of the rows being read", async (context) => {
	const rows = "{ echo name,categoryId; yes 'Rex the dog with a name of forty characters,1' | head -n 100000; }";
	const under = ["bash", "-c", `${rows} | "$@"`, "-"];
	const nodeOptions = ["--max-old-space-size=40"];
	const options = { environment: { TMPDIR: temporaryFolder(context) }, nodeOptions, under };
	const { code, stdout, stderr } = await runProgram(["import", "-", "--dry-run"], options);
	assert.equal(code, 0, stderr);
	assert.match(stderr, /^stdin: CSV with commas, UTF-8, 100000 animals\n/);
	assert.match(stdout, /\nand 99997 more animals\n$/);
});

test("standard input and pipes are imported; rejected lines stay in the current folder", async (context) => {
	const { service, runProgram: run, read, pets } = await importer(context);
	const { code, stdout } = await run("-", { input: "name,categoryId\nRex,1\nx,1.5\n" });
	assert.equal(code, 2);
	assert.match(stdout, /^stdin: 1 added, 0 already there, 1 rejected \(see stdin\.rejected\.csv\)/);
	assert.match(read("stdin.rejected.csv"), /^line,reason,name,categoryId\n3,/);
	const under = ["bash", "-c", `echo '{"name":"Ann","categoryId":2}' | "$@"`, "-"];
	assertImported(await run("/dev/stdin", { under }), /^stdin: 1 added/);
	assert.equal((await pets()).length, 2);
	const keyless = await run("-", { environment: { ANIMAL_STORE_URL: service.url }, input: "name,categoryId\n" });
	assert.match(keyless.stderr, /ANIMAL_STORE_KEY is required/);
});

test("a wrong key, a key without write scope and an unreachable service are reported at once", async (context) => {
	const { service, write, run, environment, path } = await importer(context);
	write("a.csv", "name,categoryId\nRex,1\n");
	const withKey = (key: string) => run("a.csv", { environment: { ...environment, ANIMAL_STORE_KEY: key } });
	const { key: reader } = await createKey(service.issuer, { name: "reader", scopes: ["pets:read"] });
	const { key: writer } = await createKey(service.issuer, { name: "writer", scopes: ["pets:write"] });
	const wrong = await withKey("nonsense");
	assert.deepEqual([wrong.code, wrong.stdout], [1, ""]);
	assert.match(wrong.stderr, /^animal-store: .*\(invalid_credential, [^\n]*\n$/, "one sentence");
	assert.ok(!existsSync(path("a.csv.rejected.csv")));
	write("b.csv", "name,categoryId\nRex,1\nMia,1.5\n");
	mkdirSync(path("b.csv.rejected.csv"));
	const unwritable = await run("b.csv");
	assert.match(unwritable.stderr, /b\.csv\.rejected\.csv cannot be used: illegal operation on a directory\n$/);
	assert.ok(!service.log.some((line) => line["http.route"] === "/console/imports"), "nothing is sent");
	const refused = await withKey(reader);
	assert.equal(refused.code, 1);
	assert.match(refused.stderr, /^animal-store: this API key lacks the scope pets:write[^\n]*\n$/);
	assertImported(await withKey(writer), /1 added/);
	await service.stop(0);
	const gone = await run("a.csv");
	assert.equal(gone.code, 1);
	assert.match(gone.stderr, /no reply from .* is the service running there\?/);
});

/** Where rows of earlier imports are looked for. */
const rowsPath = "/console/imports/rows";

/** A server in place of the service, and a function that imports a file with its address. */
async function importerFor(context: TestContext, reply: RequestListener) {
	const { environment, write, run } = await importer(context);
	const url = `http://127.0.0.1:${await listenFor(context, createServer(reply))}`;
	return async (content: string, ...more: string[]) => {
		write("a.csv", content);
		return run("a.csv", { environment: { ...environment, ANIMAL_STORE_URL: url }, more });
	};
}

test("a file that is saved during its import ends it, and no row of the new content is sent", async (context) => {
	const { write, run, environment, path, read } = await importer(context);
	const table = (name: string) => `name,categoryId\n${`${name},1\n`.repeat(30_000)}`;
	/** Saves the file while a request to this path is answered, with a content of the same size. */
	const savingAt = async (place: string, content: string | Buffer) => {
		const names = new Set<string>();
		const server = createServer(async (request, response) => {
			const rows: { name: string }[] = JSON.parse((await text(request)) || "{}").rows ?? [];
			for (const { name } of request.url?.startsWith(rowsPath) ? [] : rows) names.add(name);
			if (request.url?.split("?")[0] === place) write("a.csv", content);
			const results = rows.map((_, at) => ({ outcome: "added", id: at + 1 }));
			response.end(JSON.stringify(request.url?.startsWith(rowsPath) ? { rows: [], imports: [] } : { results }));
		});
		write("a.csv", table("old"));
		utimesSync(path("a.csv"), 1, 1);
		const url = `http://127.0.0.1:${await listenFor(context, server)}`;
		const { code, stderr } = await run("a.csv", { environment: { ...environment, ANIMAL_STORE_URL: url } });
		return { code, said: stderr.split("\n").at(-2), names: [...names] };
	};
	const changed = "animal-store: the file was changed while it was read; added";
	const fix = "animals; remove the rows of the added animals before you import the file again";
	const before = await savingAt(rowsPath, table("new"));
	assert.deepEqual(before, { code: 1, said: `${changed} 0 of 30000 ${fix}`, names: [] });
	const during = await savingAt("/console/imports", table("new"));
	assert.deepEqual([during.code, during.names], [1, ["old"]]);
	assert.match(during.said ?? "", new RegExp(`^${changed} \\d{4,5} of 30000 ${fix}$`));
	const shorter = await savingAt(rowsPath, "name,categoryId\n");
	assert.deepEqual([shorter.code, shorter.names, read("a.csv")], [1, [], "name,categoryId\n"]);
});

test("rejected rows replace a link, not its target; an input without an end is refused", async (context) => {
	const { write, read, run, path } = await importer(context);
	write("mine", "mine");
	write("a.csv", "name,categoryId\nRex,1.5\n");
	symlinkSync("mine", path("a.csv.rejected.csv"));
	assert.equal((await run("a.csv")).code, 2);
	assert.equal((await run("a.csv")).code, 2, "the file of an earlier import is replaced");
	assert.equal(read("mine"), "mine");
	write("b.csv", "name,categoryId\nRex,1.5\n");
	symlinkSync("gone", path("b.csv.rejected.csv"));
	assert.equal((await run("b.csv")).code, 2, "a link that leads nowhere is replaced, too");
	assert.match(read("b.csv.rejected.csv"), /Rex/);
	assert.match(read("a.csv.rejected.csv"), /^line,reason,name,categoryId\n[^\n]+,Rex,1\.5\n$/);
	const endless = limited(createReadStream("/dev/zero"), 2 ** 20);
	const said = { message: "more than 1 MiB arrived: save them as a file, and import it" };
	await assert.rejects(Array.fromAsync(endless), said);
	const pieces = [2 ** 30, 1].map((length) => ({ length }) as Buffer);
	const most = limited(pieces.values() as never);
	assert.equal((await most.next()).done, false);
	await assert.rejects(most.next(), { message: /^more than 1024 MiB arrived/ });
});

test("a service too busy to check the key first still gets the animals", async (context) => {
	const command = new Command();
	importCommand(command);
	assert.equal(command.opts()["retryFor"], 300_000, "as long as docs/daily-work.md says");
	for (const status of [429, 503]) {
		const run = await importerFor(context, (request, response) => {
			const isImport = request.url?.startsWith("/console/imports");
			response.writeHead(isImport ? 200 : status, { "retry-after": "3600" });
			const body = { results: [{ outcome: "added", id: 1 }], rows: [], imports: [] };
			response.end(JSON.stringify(isImport ? body : { code: "busy", status }));
		});
		assertImported(await run("name,categoryId\nRex,1\n"), /: 1 added/);
	}
});

test("if a service supports no imports, both possible reasons are named, and nothing is sent", async (context) => {
	const run = await importerFor(context, (request, response) => {
		response.statusCode = request.url?.startsWith("/v1/") ? 200 : 404;
		response.end(response.statusCode === 200 ? "[]" : "not here");
	});
	const { code, stderr } = await run("name,categoryId\nRex,1\n");
	assert.equal(code, 1);
	assert.match(stderr, /takes no imports: the service is older than this program, or a proxy publishes only \/v1 /);
	const older = await run("name,type\nRex,Dog\n", "--create-categories");
	assert.match(older.stderr, /the service is too old to make categories; nothing was sent\n$/);
});
