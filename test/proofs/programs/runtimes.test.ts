// The client from its tarball: in this Node, Node 20, and every Node, Bun and Deno on the PATH. The console is a client
// in a browser, which npm test tests.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { installedClient } from "../../support/installed-client.ts";
import { oldTools } from "../../support/machine.ts";
import { freePort } from "../../support/postgres-server.ts";
import { testService } from "../../support/service.ts";

const run = promisify(execFile);
const folder = installedClient();

const imports = "AnimalStore, ApiError, NoReply";
/** Adds, lists and gets an animal whose category no double can hold, sends an invalid one, calls an unused address. */
const program = `
const store = new AnimalStore({ url, key });
const rex = await store.createPet({ name: "Rex <3", categoryId: 9223372036854775807n, status: "sold" });
const listed = [];
for await (const pet of store.listPets({ status: "sold" })) listed.push(pet);
const again = await store.getPet(rex.id);
const refused = await store.createPet({ name: "", categoryId: 1 }).catch((error) => error);
const away = await new AnimalStore({ url: closed, key }).listPage().catch((error) => error);
const result = [
	listed.length, listed.at(-1).categoryId, again.name, refused instanceof ApiError, refused.code,
	away instanceof NoReply, away.reason, away.message.includes(closed),
];
`;
const category = "9223372036854775807";
const expected = (count: number) => [
	...[count, category, "Rex <3", true, "invalid_body"],
	...[true, "unreachable", true],
];

/** The start of a program: constants with the service's URL, a key, and a URL where nothing listens. */
async function constants({ url, key }: { url: string; key: string }): Promise<string> {
	return `const url = "${url}", key = "${key}", closed = "http://127.0.0.1:${await freePort()}";`;
}

test("the installed client works in every Node from version 20, and Bun and Deno on the PATH", async (context) => {
	const service = await testService(context);
	const file = join(folder, "program.js");
	const start = `import { ${imports} } from "@animal-store/client";\n${await constants(service)}`;
	writeFileSync(file, `${start}\n${program}\nconsole.log(JSON.stringify(result));`);
	const places = (process.env["PATH"] ?? "").split(delimiter);
	const onPath = (name: string) => places.map((place) => join(place, name)).filter((path) => existsSync(path));
	const runtimes = [process.execPath, oldTools.node, ...onPath("node")].map((node) => [node]);
	for (const bun of onPath("bun").slice(0, 1)) runtimes.push([bun]);
	for (const deno of onPath("deno").slice(0, 1)) runtimes.push([deno, "run", "--allow-net", "--allow-read"]);
	const ran = new Set<string>();
	for (const [program = "", ...parameters] of runtimes) {
		const version = (await run(program, ["--version"])).stdout.split("\n")[0] ?? "";
		const isOldNode = version.startsWith("v") && Number(/\d+/.exec(version)?.[0]) < 20;
		if (ran.has(version) || isOldNode) continue;
		ran.add(version);
		const { stdout } = await run(program, [...parameters, file], { timeout: 60_000, killSignal: "SIGKILL" });
		assert.deepEqual(JSON.parse(stdout), expected(ran.size), version);
	}
	const missing = ["bun", "deno"].filter((name) => onPath(name).length === 0);
	context.diagnostic(`ran: ${[...ran].join(", ")}; not on this machine: ${missing.join(", ") || "none"}`);
	assert.ok(ran.size > 1 && ran.has(process.version), "this Node and Node 20 have run it");
});

test("the installed client can be required, too", async (context) => {
	const service = await testService(context);
	const file = join(folder, "program.cjs");
	const start = `const { ${imports} } = require("@animal-store/client");\n${await constants(service)}`;
	writeFileSync(file, `${start}\n(async () => {${program}\nconsole.log(JSON.stringify(result));})();`);
	// The flag disables `require` of ES modules, which Node supports since 20.19.
	for (const flags of [[], ["--no-experimental-require-module"]]) {
		const { stdout } = await run(process.execPath, [...flags, file], { timeout: 60_000, killSignal: "SIGKILL" });
		assert.deepEqual(JSON.parse(stdout), expected(flags.length + 1));
	}
});
