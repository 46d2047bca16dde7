// Tries a release as its users will, with the first lines of the README: the package from a registry with each Node
// version in use, and the image as a container. Also tries the client in a new TypeScript project.

import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type buildImage, serveEmbedded, use } from "../test/support/image.ts";
import { isServing } from "../test/support/listen.ts";
import { install, newMachine, nodePackage } from "../test/support/machine.ts";
import { freePort } from "../test/support/postgres-server.ts";
import type { Trial } from "../test/support/proof.ts";
import { until } from "../test/support/until.ts";

type Place = Pick<Trial, "folder" | "after" | "say">;
type Installed = Awaited<ReturnType<typeof install>>;

const program = `import { AnimalStore } from "@animal-store/client";
const rex = await new AnimalStore().createPet({ name: "Rex", categoryId: "9223372036854775807" });
console.log(rex.categoryId);
`;

/** @param target the folder of the packages and of the image */
export async function tryRelease(place: Place, target: string, image: ReturnType<typeof buildImage>): Promise<void> {
	const startMs = performance.now();
	await serveEmbedded(image.container(`dir:${join(target, "image")}`), place);
	place.say(`image: first animal and more after ${seconds(startMs)}`);
	const registry = await startRegistry(place);
	const login = `--${registry.replace("http:", "")}:_authToken=none`;
	const flags = ["--registry", registry, login, "--provenance=false"];
	for (const name of readdirSync(target).filter((name) => name.endsWith(".tgz")))
		execFileSync("npm", ["publish", name, ...flags], { cwd: target, stdio: "pipe" });
	// Each Node version in use, with an npm of the same age.
	for (const [node, npm] of Object.entries({ 20: "10", 24: "11", 26: "12" })) {
		const nodeOf = await install(place.folder, nodePackage, node);
		await tryPackages(place, registry, nodeOf, await install(place.folder, "npm", npm));
	}
}

const seconds = (startMs: number) => `${((performance.now() - startMs) / 1000).toFixed(1)} s`;

/** Starts verdaccio: it has this release's packages, and gets all others from npm's registry. @returns its address */
async function startRegistry({ folder, after }: Place): Promise<string> {
	// verdaccio asks for this version by its tag `cjs`, which mirrors of the registry may lack.
	mkdirSync(join(folder, "verdaccio-6.10.4"));
	writeFileSync(join(folder, "verdaccio-6.10.4/package.json"), '{"overrides":{"node-fetch":"2.7.0"}}');
	const { path } = await install(folder, "verdaccio", "6.10.4");
	const all = execFileSync("npm", ["config", "get", "registry"], { encoding: "utf8" }).trim();
	const ours = { access: "$all", publish: "$anonymous" };
	const config = {
		storage: join(folder, "registry"),
		uplinks: { npmjs: { url: all } },
		packages: { "animal-store": ours, "@animal-store/*": ours, "**": { access: "$all", proxy: "npmjs" } },
		log: { type: "stdout", level: "error" },
	};
	writeFileSync(join(folder, "registry.yaml"), JSON.stringify(config));
	const url = `http://127.0.0.1:${await freePort()}/`;
	const parameters = [join(path, "bin/verdaccio"), "--config", "registry.yaml", "--listen", url];
	const child = spawn(process.execPath, parameters, { cwd: folder, stdio: ["ignore", "ignore", "inherit"] });
	after(() => child.kill());
	await until("the registry to serve", () => isServing(url));
	return url;
}

async function tryPackages({ folder, after, say }: Place, registry: string, node: Installed, npm: Installed) {
	const home = join(folder, `home-${node.version}`);
	const work = join(home, "work");
	mkdirSync(work, { recursive: true });
	const tools = { node: join(node.path, "bin/node"), npm: join(npm.path, "bin/npm-cli.js") };
	// The cache is empty, as it is for new users.
	const settings = { npm_config_registry: registry, npm_config_cache: join(home, "cache") };
	const machine = newMachine({ after }, home, work, tools, settings);
	const startMs = performance.now();
	const service = await machine.start("npx", "--yes", "animal-store", "serve", "--first-key");
	const key = await until("the first key", () => /pets_\w{49}/.exec(service.output())?.[0]);
	await use(new URL(service.url).port, key);
	say(`npx, Node ${node.version}, npm ${npm.version}: first animal and more after ${seconds(startMs)}`);
	writeFileSync(join(work, "package.json"), '{"type":"module"}');
	writeFileSync(join(work, "program.ts"), program);
	const { code, lines } = await machine.run("npm", "install", "@animal-store/client", "typescript@5", "@types/node@20");
	assert.equal(code, 0, lines.join("\n"));
	const environment = { ...process.env, ANIMAL_STORE_URL: service.url, ANIMAL_STORE_KEY: key };
	const options = { cwd: work, encoding: "utf8", env: environment } as const;
	const compiler = ["node_modules/typescript/bin/tsc", "--strict", "--module", "nodenext", "--target", "es2022"];
	execFileSync(tools.node, [...compiler, "program.ts"], options);
	const printed = execFileSync(tools.node, ["program.js"], options);
	assert.equal(printed, "9223372036854775807\n");
	await service.stop("SIGTERM", "npm");
}
