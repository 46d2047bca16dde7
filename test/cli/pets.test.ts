// A person or a script uses `animal-store pets …` and its help.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { createServer, request as requestOf } from "node:http";
import { type TestContext, test } from "node:test";
import { promisify } from "node:util";
import { createKey } from "../../src/keys/issue.ts";
import { assertRefused, call } from "../support/command.ts";
import { listenFor } from "../support/listen.ts";
import { assertProgramRefused, onTerminal, programOf, runProgram } from "../support/program.ts";
import { testService } from "../support/service.ts";

const run = promisify(execFile);

async function connected(context: TestContext) {
	const service = await testService(context);
	const environment = { ANIMAL_STORE_URL: service.url, ANIMAL_STORE_KEY: service.key };
	const pets = (...parameters: string[]) => call(["pets", ...parameters], { environment });
	return { service, environment, pets };
}

test("categories are given and shown by name, and animals are found", async (context) => {
	const { service, environment, pets } = await connected(context);
	await service.store.categories.apply([{ name: "Dog" }, { name: "Cat" }]);
	const added = await pets("create", "--name", "Rex", "--category", "dog", "--status", "sold");
	const table = "id  status  category  name\n 1  sold    Dog       Rex\n";
	assert.deepEqual([added.code, added.stdout], [0, table], added.stderr);
	for (const [name, category] of Object.entries({ Rexi: "2", Mia: "Cat", "T-Rex": "7" }))
		assert.equal((await pets("create", "--name", name, "--category", category, "--json")).code, 0);
	const shown = async (...parameters: string[]) => {
		const { stdout, stderr } = await pets(...parameters);
		const lines = stdout.split("\n").slice(1, -1);
		return [lines.map((line) => line.trim().replaceAll(/\s+/g, " ")), stderr];
	};
	assert.deepEqual(await shown("list"), [["1 sold Dog Rex", "2 - Cat Rexi", "3 - Cat Mia", "4 - 7 T-Rex"], ""]);
	assert.deepEqual(await shown("find", "rex"), [["4 - 7 T-Rex", "2 - Cat Rexi", "1 sold Dog Rex"], ""]);
	assert.deepEqual(await shown("find", "cat", "--sort", "name"), [["3 - Cat Mia", "2 - Cat Rexi"], ""]);
	const one = ["find", "rex", "--category", "CAT", "--status", "sold"];
	assert.deepEqual(await shown(...one), [[], ""]);
	assert.deepEqual(await shown(...one.slice(0, 4)), [["2 - Cat Rexi"], ""]);
	const first = ["4 - 7 T-Rex"];
	assert.deepEqual(await shown("find", "rex", "--limit", "1"), [first, "3 animals found: --limit shows up to 100\n"]);
	assert.equal((await pets("find", "mia", "--json")).stdout, '[\n{"id":3,"name":"Mia","categoryId":2}\n]\n');
	const { key } = await createKey(service.issuer, { name: "writer", scopes: ["pets:write"] });
	const rex = ["pets", "create", "--name", "Rex"];
	const unread = /cannot be read, because the key lacks pets:read or .*: give a number\n$/;
	await assertRefused([[[...rex, "--category", "Dog", "--key", key], unread]], { environment });
	const { stdout } = await pets("create", "--name", "Moss", "--category", "1", "--key", key);
	assert.match(stdout, / 5 {2}-.* 1 .*Moss\n$/, "a key that may not read shows numbers");
});

test("list shows one page, and says if there are more; --last shows the newest, --all every one", async (context) => {
	const { service, pets } = await connected(context);
	for (let n = 1; n <= 45; n++) await service.store.createPet({ name: `n${n}`, categoryId: 1n });
	const animals = (table: string) => table.split("\n").length - 2;
	const more = (where: string) => `there are more animals ${where} these: --all shows all of them\n`;
	const page = await pets("list");
	assert.deepEqual([animals(page.stdout), page.stderr], [20, more("after")]);
	assert.equal(animals((await pets("list", "--limit", "3")).stdout), 3);
	const last = await pets("list", "--last", "--limit", "2");
	assert.match(last.stdout, /name\n44 .* n44\n45 .* n45\n$/);
	assert.equal(last.stderr, more("before"));
	assert.equal((await pets("list", "--last", "--limit", "100")).stderr, "");
	assert.equal(animals((await pets("list", "--all", "--limit", "7")).stdout), 45, "one heading for all pages");
	const all = await pets("list", "--all", "--limit", "7", "--json");
	assert.deepEqual([JSON.parse(all.stdout).length, all.stderr], [45, ""]);
});

test("a table has no control characters; on a terminal, its head is bold unless NO_COLOR is set", async (context) => {
	const { service, environment } = await connected(context);
	await service.store.createPet({ name: "Rex 犬", categoryId: 12n, status: "sold" });
	await service.store.createPet({ name: "evil\u009b2J\u202e", categoryId: -3n });
	const shown = async (more: Record<string, string>) => {
		const options = { environment: { ...environment, TERM: "xterm", ...more }, under: onTerminal };
		return (await runProgram(["pets", "list"], options)).stdout.replaceAll("\r", "");
	};
	const head = "id  status  category  name";
	const rows = "\n 1  sold    12        Rex 犬\n 2  -       -3        evil\uFFFD2J\uFFFD\n";
	assert.equal(await shown({ NO_COLOR: "1" }), head + rows);
	assert.equal(await shown({}), `\u001b[1m${head}\u001b[22m${rows}`);
});

test("an error shows the service's message and the next step on stderr, with exit code 1", async (context) => {
	const { service, environment } = await connected(context);
	const { key: reader } = await createKey(service.issuer, { name: "reader", scopes: ["pets:read"] });
	const create = ["create", "--name", "Rex", "--category-id", "1"];
	const rows: [parameters: string[], said: RegExp][] = [
		[[...create, "--key", reader], /pets:write.*insufficient_scope.*ask for a key with that scope/],
		[["list", "--url", `${service.url}/elsewhere`], /route_not_found|unexpected_reply/],
	];
	const called = rows.map(([parameters, said]): (typeof rows)[0] => [["pets", ...parameters], said]);
	await assertRefused(called, { environment });
	const url = "--url must be the http or https URL of a service.*";
	const keyless = "ANIMAL_STORE_KEY is required.*animal-store keys create --name me creates one\n$";
	await assertRefused([[["pets", "list", "--url", "ftp://here"], new RegExp(`^animal-store: ${url}\n.*${keyless}`)]]);
	await service.stop(0);
	const away = /\(ECONNREFUSED\); is the service running there\? Start it with animal-store serve, or .* --url\n$/;
	await assertRefused([[["pets", "list"], away]], { environment });
});

test("a table does not wait for the names of categories, and is shown without them", async (context) => {
	let asked = 0;
	const server = createServer(({ url }, response) => {
		if (url?.startsWith("/v1/")) return void response.end('[{"id":1,"name":"Rex","categoryId":7}]');
		asked++;
		response.writeHead(503, { "retry-after": "0" }).end();
	});
	const url = `http://127.0.0.1:${await listenFor(context, server)}`;
	const { code, stdout } = await call(["pets", "list", "--url", url, "--key", "a"]);
	assert.deepEqual([code, stdout.split("\n")[1], asked], [0, " 1  -       7         Rex", 1]);
});

test("create says that the animal may have been added if the reply is not the service's", async (context) => {
	const { service, environment, pets } = await connected(context);
	const proxy = createServer((request, response) => {
		const { method, headers } = request;
		const forwarded = requestOf(`${service.url}${request.url}`, { method, headers });
		request.pipe(forwarded).on("response", (reply) => reply.resume().on("end", () => response.end("<html>")));
	});
	const url = `http://127.0.0.1:${await listenFor(context, proxy)}`;
	const { code, stdout, stderr } = await pets("create", "--name", "Rex", "--category-id", "1", "--url", url);
	assert.deepEqual([code, stdout], [1, ""]);
	assert.match(stderr, /the animal may have been added: look with animal-store pets list --last before .* again\n$/);
	assert.match((await pets("list")).stdout, /\n 1 .* Rex\n$/);
	await service.stop(0);
	const unsent = await call(["pets", "create", "--name", "Mia", "--category-id", "1"], { environment });
	assert.doesNotMatch(unsent.stderr, /may have been added/);
});

test("a closed pipe ends the command silently, a full disk with one sentence", async (context) => {
	const { service, environment } = await connected(context);
	const name = "x".repeat(200);
	await Promise.all(Array.from({ length: 1000 }, () => service.store.createPet({ name, categoryId: 1n })));
	const env = { ...environment, PATH: process.env["PATH"], NODE: process.execPath, BIN: programOf() };
	for (const command of ["pets list --all 2>&3 | head -1", "export 2>&3 | head -1", "serve --help 2>&3 | true"]) {
		const line = `"$NODE" "$BIN" ${command}; echo "\${PIPESTATUS[0]}"`;
		const { stdout } = await run("bash", ["-c", `{ ${line}; } 3>&1`], { env });
		assert.doesNotMatch(stdout, /EPIPE|\n\s+at /);
		assert.match(stdout, /(^|\n)0\n$/, command);
	}
	const found = await call(["pets", "find", "x", "--limit", "100", "--url", "", "--key", ""], { environment });
	assert.equal(found.stderr, "1000 animals found\n", "no larger limit, and empty flags are none");
	const full = /^animal-store: the output cannot be written: no space left on device\n$/;
	await assertProgramRefused([[["serve", "--help"], full]], { under: ["bash", "-c", '"$@" > /dev/full', "-"] });
});
