// `npm run release` makes a release in dist/release, and tries it (try-release.ts): both packages, the image for two
// platforms, a list of their parts with licences (SBOM, CycloneDX), and checksums. It refuses a version that must not
// be published yet, except with --dry-run. `--publish` instead publishes the release that an earlier run made.

import { execFileSync } from "node:child_process";
import { hash } from "node:crypto";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { buildImage, imageOptions } from "../test/support/image.ts";
import { linux, program, root as rootUser } from "../test/support/proof.ts";
import { breakingChanges } from "./additive.ts";
import { tryRelease } from "./try-release.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const target = join(root, "dist", "release");
const released = join(root, "package", "released", "openapi.json");
const read = (path: string) => readFileSync(join(root, path), "utf8");
const run = (program: string, parameters: string[], folder = root) =>
	execFileSync(program, parameters, {
		cwd: folder,
		encoding: "utf8",
		stdio: ["ignore", "pipe", "inherit"],
		maxBuffer: 2 ** 26,
	});
const say = (line: string) => console.error(`${new Date().toISOString().slice(11, 19)} ${line}`);

const { values } = parseArgs({
	options: { "dry-run": { type: "boolean", default: false }, publish: { type: "boolean", default: false } },
});
const { version }: { version: string } = JSON.parse(read("package.json"));

/** Why this version must not be published yet. */
function obstacles(): string[] {
	const found = breakingChanges(JSON.parse(readFileSync(released, "utf8")), JSON.parse(read("openapi.json")));
	const client: { version: string } = JSON.parse(read("client/package.json"));
	if (client.version !== version) found.push(`the client has the version ${client.version}, the service ${version}`);
	const [, heading = ""] = /^## (.*)$/m.exec(read("CHANGELOG.md")) ?? [];
	if (!heading.startsWith(`${version} (2`))
		found.push(`CHANGELOG.md begins with "${heading}", not with ${version} and a date`);
	if (run("git", ["status", "--porcelain"]) !== "") found.push("the checkout has changes that are not committed");
	const places = ["package.json", "client/package.json", "README.md", "SECURITY.md"];
	const open = places.filter((path) => read(path).includes("OWNER/"));
	if (open.length > 0)
		found.push(`replace OWNER by the account that publishes: sed -i s,OWNER/,ACCOUNT/,g ${open.join(" ")}`);
	return found;
}

function makePackages(): void {
	rmSync(target, { recursive: true, force: true });
	mkdirSync(target, { recursive: true });
	for (const folder of [root, join(root, "client")])
		run("npm", ["pack", "--silent", "--pack-destination", target], folder);
	const parts = ["sbom", "--package-lock-only", "--omit", "dev", "--sbom-format", "cyclonedx"];
	writeFileSync(join(target, `animal-store-${version}.cdx.json`), run("npm", parts));
}

const files = () => readdirSync(target).filter((name) => name !== "image");

/** The checksums of all files. That of image/manifest.json is the image's digest in a registry. */
function writeSums(): void {
	const sumOf = (name: string) => hash("sha256", readFileSync(join(target, name)));
	const sums = [...files(), "image/manifest.json"].map((name) => `${sumOf(name)}  ${name}\n`);
	writeFileSync(join(target, "SHA256SUMS"), sums.join(""));
}

async function make(): Promise<void> {
	const folder = mkdtempSync(join(tmpdir(), "animal-store-release-"));
	const cleanUps: (() => unknown)[] = [() => rmSync(folder, { recursive: true, force: true })];
	const after = (cleanUp: () => unknown) => void cleanUps.push(cleanUp);
	try {
		makePackages();
		const place = { folder, after, say, option: () => imageOptions.mirror.default };
		const image = buildImage(place, ["linux/amd64", "linux/arm64"]);
		image.save(join(target, "image"));
		writeSums();
		await tryRelease(place, target, image);
	} finally {
		for (const cleanUp of cleanUps.reverse()) await cleanUp();
	}
}

/** Publishes dist/release if it matches its checksums. Runs on GitHub, with the rights of the workflow. */
function publish(): void {
	run("sha256sum", ["--check", "--strict", "SHA256SUMS"], target);
	const { GITHUB_ACTOR = "", GITHUB_REPOSITORY = "", GH_TOKEN = "" } = process.env;
	const address = `ghcr.io/${GITHUB_REPOSITORY.toLowerCase()}:${version}`;
	run("gh", ["release", "create", `v${version}`, "--verify-tag", "--generate-notes", ...files()], target);
	for (const name of files().filter((name) => name.endsWith(".tgz"))) run("npm", ["publish", name], target);
	execFileSync("skopeo", ["login", "ghcr.io", "--username", GITHUB_ACTOR, "--password-stdin"], { input: GH_TOKEN });
	run("skopeo", ["copy", "--all", "--preserve-digests", "dir:image", `docker://${address}`], target);
}

const lacks = [linux, rootUser, program("buildah"), program("skopeo")].filter(({ isMet }) => !isMet());
const found = [...obstacles(), ...lacks.map(({ text }) => `this machine lacks ${text}`)];
for (const sentence of found) console.error(`${version} cannot be published yet: ${sentence}`);
if (lacks.length > 0 || (found.length > 0 && (values.publish || !values["dry-run"]))) process.exit(1);
if (values.publish) publish();
else await make();
for (const name of files()) console.log(join(target, name));
