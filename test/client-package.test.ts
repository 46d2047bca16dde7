// The client from its tarball: in every Node, Bun and Deno on the PATH, in a browser, and for the compiler.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { after, before, test } from "node:test";
import { promisify } from "node:util";
import { gzipSync } from "node:zlib";
import { checkPackage, createPackageFromTarballData } from "@arethetypeswrong/core";
import type { Browser } from "playwright-core";
import { publint } from "publint";
import { compile } from "../client/build.ts";
import { getPetDeprecation, sunsetDay } from "../src/contract/deprecation.ts";
import { openPage, startBrowser } from "./browser.ts";
import { installClient } from "./client-package.ts";
import { testService } from "./service.ts";

const run = promisify(execFile);
const folder = mkdtempSync(join(tmpdir(), "animal-store-client-package-"));
let place: string;
let browser: Browser;
before(async () => {
	place = installClient(folder);
	browser = await startBrowser();
});
after(() => rmSync(folder, { recursive: true, force: true }));
after(() => browser.close());

/** Adds, lists and gets an animal whose numbers no double holds. */
const program = `
const store = new AnimalStore({ url, key });
const rex = await store.createPet({ name: "Rex <3", categoryId: 9223372036854775807n, status: "sold" });
const listed = [];
for await (const pet of store.listPets({ status: "sold" })) listed.push(pet);
const again = await store.getPet(rex.id);
const refused = await store.createPet({ name: "", categoryId: 1 }).catch((error) => error);
const result = [listed.length, listed.at(-1).categoryId === 9223372036854775807n, again.name, refused instanceof ApiError, refused.code];
`;
const expected = (count: number) => [count, true, "Rex <3", true, "invalid_body"];

test("the installed client works in this Node and in every Node from version 20, Bun and Deno on the PATH", async (context) => {
	const service = await testService(context);
	const file = join(folder, "program.js");
	const options = `const url = "${service.url}", key = "${service.key}";`;
	const imports = 'import { AnimalStore, ApiError } from "@animal-store/client";';
	writeFileSync(file, `${imports}\n${options}\n${program}\nconsole.log(JSON.stringify(result));`);
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
	assert.ok(ran.has(process.version), "this Node at least");
});

test("the installed client works in a browser", async (context) => {
	const dist = join(place, "dist");
	const service = await testService(context);
	const { page, errors } = await openPage(context, browser, service.url);
	// Only the page and the module are handed in; its requests go to the service.
	const html = `<title>t</title><script type="module">
		import { AnimalStore, ApiError } from "./client/index.js";
		const url = location.origin, key = "${service.key}";
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
	// The browser itself tells of the refusal that the program provokes.
	assert.match(errors.splice(0).join(), /^[^,]*status of 400[^,]*$/);
});

test("the package is small, has no dependencies, and its types resolve for every kind of import", async (context) => {
	const scripts = readdirSync(join(place, "dist")).filter((name) => name.endsWith(".js"));
	const bytes = scripts.reduce((sum, name) => sum + gzipSync(readFileSync(join(place, "dist", name))).length, 0);
	context.diagnostic(`${bytes} bytes gzipped`);
	assert.ok(scripts.length >= 2 && bytes <= 5120, `${bytes} bytes gzipped`);
	const manifest = JSON.parse(readFileSync(join(place, "package.json"), "utf8"));
	assert.equal(manifest.dependencies, undefined);
	assert.deepEqual(readdirSync(place).sort(), ["README.md", "dist", "package.json"]);
	const { messages } = await publint({ pkgDir: place, pack: false, strict: true });
	assert.deepEqual(messages, []);
	const types = await checkPackage(createPackageFromTarballData(readFileSync(join(folder, "client.tgz"))));
	assert.deepEqual(types.types && types.problems, []);
	assert.match(
		readFileSync(join(place, "dist/index.d.ts"), "utf8"),
		new RegExp(`@deprecated [^*]*${sunsetDay(getPetDeprecation)}[^/]*\\*/\\s+getPet\\(`),
	);

	const source = join(folder, "use.ts");
	writeFileSync(
		source,
		`import { AnimalStore, type Pet, type PetStatus } from "@animal-store/client";
		export const all = (store: AnimalStore, status: PetStatus): Promise<Pet[]> => Array.fromAsync(store.listPets({ status }));
		// @ts-expect-error: a status that does not exist
		export const none = (store: AnimalStore) => store.listPets({ status: "lost" });
		// @ts-expect-error: the name is required
		export const nameless = (store: AnimalStore) => store.createPet({ categoryId: 1 });`,
	);
	for (const [module, resolution] of [
		["nodenext", "nodenext"],
		["esnext", "bundler"],
		["commonjs", "bundler"],
	]) {
		compile(
			source,
			"--ignoreConfig",
			"--noEmit",
			"--strict",
			"--lib",
			"esnext,dom",
			"--types",
			"",
			"--module",
			`${module}`,
			"--moduleResolution",
			`${resolution}`,
		);
	}
});

test("the installed client can be required, too", async (context) => {
	const service = await testService(context);
	const file = join(folder, "program.cjs");
	const required = 'const { AnimalStore, ApiError } = require("@animal-store/client");';
	const options = `const url = "${service.url}", key = "${service.key}";`;
	writeFileSync(file, `${required}\n${options}\n(async () => {${program}\nconsole.log(JSON.stringify(result));})();`);
	// Without `require` of ES modules, as before Node 20.19.
	for (const flags of [[], ["--no-experimental-require-module"]]) {
		const { stdout } = await run(process.execPath, [...flags, file], { timeout: 60_000, killSignal: "SIGKILL" });
		assert.deepEqual(JSON.parse(stdout), expected(flags.length + 1));
	}
});
