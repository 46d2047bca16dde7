// The client from its tarball: in every Node, Bun and Deno on the PATH, in a browser, and with the TypeScript compiler.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { gzipSync } from "node:zlib";
import { checkPackage, createPackageFromTarballData } from "@arethetypeswrong/core";
import { publint } from "publint";
import { build } from "vite";
import { compile } from "../../client/build.ts";
import { getPetDeprecation } from "../../src/contract/deprecation.ts";
import { openPage } from "../support/browser.ts";
import { freePort } from "../support/postgres-server.ts";
import { testService } from "../support/service.ts";
import { installedClient } from "./package.ts";

const run = promisify(execFile);
const folder = installedClient();
const place = join(folder, "node_modules/@animal-store/client");

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

/** Input for the compiler: expressions with the types that they must have, and code that the compiler must refuse. */
const uses = `
import { AnimalStore, ApiError, type Call, type ClientOptions, type Int64Mode, type NewPet, type Pet, type PetStatus } from "@animal-store/client";

type Is<One, Other> = (<T>() => T extends One ? 1 : 2) extends <T>() => T extends Other ? 1 : 2 ? true : false;
type Id<Store> = Store extends AnimalStore<infer Mode> ? Pet<Mode>["id"] : never;
const is = <T extends true>() => {};

export const byDefault = new AnimalStore();
export const withoutMode = new AnimalStore({ url: "http://a.example", key: "k" });
export const bigints = new AnimalStore({ int64: "bigint" });
export const numbers = new AnimalStore({ url: "http://a.example", int64: "number" });
export const strings = new AnimalStore({ int64: "string" });
declare const mode: Int64Mode, options: ClientOptions, bigintOptions: ClientOptions<"bigint">;
export const any = new AnimalStore({ int64: mode });
export const passedOn = new AnimalStore({ ...options, timeoutMs: 1 });
export const passedOnBigints = new AnimalStore({ ...bigintOptions, timeoutMs: 1 });
is<Is<Id<typeof byDefault>, string>>();
is<Is<Id<typeof withoutMode>, string>>();
is<Is<Id<typeof bigints>, bigint>>();
is<Is<Id<typeof numbers>, number>>();
is<Is<Id<typeof strings>, string>>();
is<Is<Id<typeof any>, string | number | bigint>>();
is<Is<Id<typeof passedOn>, string>>();
is<Is<Id<typeof passedOnBigints>, bigint>>();
is<Is<Pet["id"], string>>();
is<Is<Pet<"bigint">["categoryId"], bigint>>();
export const call: Call<Pet<"bigint">> = bigints.createPet({ name: "a", categoryId: "1" });
export const again = (pet: Pet<"bigint">): Promise<Pet<"bigint">> => bigints.createPet(pet);
export const first: Promise<Pet<"number"> | undefined> = numbers.listPets().first();
export const news: NewPet[] = [{ name: "a", categoryId: 1 }, { name: "a", categoryId: 1n }, { name: "a", categoryId: "1" }];
// @ts-expect-error: the type says bigint, so the option is required
new AnimalStore<"bigint">();
// @ts-expect-error: the type says bigint, so the option is required
new AnimalStore<"bigint">({ url: "http://a.example" });
// @ts-expect-error: not a mode
new AnimalStore({ int64: "exact" });
// @ts-expect-error: an unknown option
new AnimalStore({ timeout: 5 });
// @ts-expect-error: its ids have another type
export const mixed: AnimalStore = bigints;
// @ts-expect-error: toArray needs a limit
bigints.listPets().toArray();

export const isAddedLater = (error: ApiError) => error.code === "added_later" || error.code === "invalid_body";
export const all = (store: AnimalStore, status: PetStatus): Promise<Pet[]> => Array.fromAsync(store.listPets({ status }));
// @ts-expect-error: a status that does not exist
export const none = (store: AnimalStore) => store.listPets({ status: "lost" });
// @ts-expect-error: the name is required
export const nameless = (store: AnimalStore) => store.createPet({ categoryId: 1 });
`;

test("the installed client works in every Node from version 20, and Bun and Deno on the PATH", async (context) => {
	const service = await testService(context);
	const file = join(folder, "program.js");
	const start = `import { ${imports} } from "@animal-store/client";\n${await constants(service)}`;
	writeFileSync(file, `${start}\n${program}\nconsole.log(JSON.stringify(result));`);
	const places = (process.env["PATH"] ?? "").split(delimiter);
	const onPath = (name: string) => places.map((place) => join(place, name)).filter((path) => existsSync(path));
	const runtimes = [process.execPath, ...onPath("node")].map((node) => [node]);
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
	assert.ok(ran.has(process.version), "at least this Node has run it");
});

test("the installed client works in a browser", async (context) => {
	const dist = join(place, "dist");
	const service = await testService(context);
	const { page, errors } = await openPage(context, service.url);
	// The test itself serves only the page and the module. The page's requests go to the service.
	const html = `<title>t</title><script type="module">
		import { ${imports} } from "./client/index.js";
		${await constants(service)}
		${program}
		document.title = JSON.stringify(result);
	</script>`;
	await page.route("**/test.html", (route) => route.fulfill({ contentType: "text/html", body: html }));
	await page.route("**/client/*.js", (route) =>
		route.fulfill({
			contentType: "text/javascript",
			body: readFileSync(join(dist, new URL(route.request().url()).pathname.slice("/client/".length))),
		}),
	);
	await page.route("**/favicon.ico", (route) => route.fulfill({ status: 204 }));
	await page.goto(`${service.url}/test.html`);
	await page.waitForFunction('document.title !== "t"');
	assert.deepEqual(JSON.parse(await page.title()), expected(1));
	// The browser logs the refusal and the failed connections that the program provokes.
	const [refusal, ...connections] = errors.splice(0);
	assert.match(refusal ?? "", /status of 400/);
	const failed = connections.filter((error) => error.includes("ERR_CONNECTION_REFUSED"));
	assert.ok(failed.length > 0 && failed.length <= 3, connections.join());
	assert.equal(connections.length, 2 * failed.length, "each failed connection is also a request to another host");
});

/** Bundles a page that uses the whole client. @returns its code */
async function bundle(input: string): Promise<string> {
	const rolldownOptions = { input, preserveEntrySignatures: "strict" } as const;
	const result = await build({
		configFile: false,
		logLevel: "silent",
		build: { write: false, modulePreload: false, rolldownOptions },
	});
	assert.ok("output" in result && result.output.length === 1);
	return result.output[0].code;
}

test("the package is small, has no dependencies, and its types resolve for every kind of import", async (context) => {
	const bytes = gzipSync(await bundle(join(place, "dist/index.js"))).length;
	context.diagnostic(`${bytes} bytes, bundled, minified and gzipped`);
	assert.ok(bytes > 1000 && bytes <= 5120, `${bytes} bytes`);
	const readme = readFileSync(join(place, "README.md"), "utf8");
	assert.ok(readme.includes(`No dependencies; ${(bytes / 1000).toFixed(1)} KB.`), `${bytes} bytes`);
	const manifest = JSON.parse(readFileSync(join(place, "package.json"), "utf8"));
	assert.equal(manifest.dependencies, undefined);
	assert.deepEqual(readdirSync(place).sort(), ["README.md", "dist", "package.json"]);
	const { messages } = await publint({ pkgDir: place, pack: false, strict: true });
	assert.deepEqual(messages, []);
	const types = await checkPackage(createPackageFromTarballData(readFileSync(join(folder, "client.tgz"))));
	assert.deepEqual(types.types && types.problems, []);
	assert.match(
		readFileSync(join(place, "dist/index.d.ts"), "utf8"),
		new RegExp(`@deprecated [^*]*${getPetDeprecation.sunsetDay}[^/]*\\*/\\s+getPet\\(`),
	);

	const source = join(folder, "use.ts");
	writeFileSync(source, uses);
	for (const [module, resolution] of [
		["nodenext", "nodenext"],
		["esnext", "bundler"],
		["commonjs", "bundler"],
	]) {
		const modules = ["--module", `${module}`, "--moduleResolution", `${resolution}`];
		compile(source, ..."--ignoreConfig --noEmit --strict --lib esnext,dom --types".split(" "), "", ...modules);
	}
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
