// `npm run release` makes everything that a release consists of, in dist/release: both packages, a list of their parts
// (SBOM, CycloneDX), licences, checksums. With --dry-run it makes them even if they must not be published yet.

import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { breakingChanges } from "./additive.ts";

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

const { values } = parseArgs({ options: { "dry-run": { type: "boolean", default: false } } });
const { version }: { version: string } = JSON.parse(read("package.json"));

interface LockedPackage {
	version?: string;
	license?: string;
	dev?: boolean;
	link?: boolean;
}

/** Why this version must not be published yet. */
function obstacles(): string[] {
	const found = breakingChanges(JSON.parse(readFileSync(released, "utf8")), JSON.parse(read("openapi.json")));
	const client: { version: string } = JSON.parse(read("client/package.json"));
	if (client.version !== version) found.push(`the client has the version ${client.version}, the service ${version}`);
	const [, heading = ""] = /^## (.*)$/m.exec(read("CHANGELOG.md")) ?? [];
	if (!heading.startsWith(`${version} (2`))
		found.push(`CHANGELOG.md begins with "${heading}", not with ${version} and a date`);
	if (run("git", ["status", "--porcelain"]) !== "") found.push("the checkout has changes that are not committed");
	return found;
}

/** One line for each package that is installed with the service: name, version, licence. */
function licences(): string {
	const { packages }: { packages: Record<string, LockedPackage> } = JSON.parse(read("package-lock.json"));
	return Object.entries(packages)
		.filter(([path, { dev, link }]) => path !== "" && !dev && !link)
		.map(
			([path, { version: of = "", license = "UNKNOWN" }]) =>
				`${path.replace(/^.*node_modules\//, "")}\t${of}\t${license}\n`,
		)
		.sort()
		.join("");
}

function make(): string[] {
	rmSync(target, { recursive: true, force: true });
	mkdirSync(target, { recursive: true });
	for (const folder of [root, join(root, "client")])
		run("npm", ["pack", "--silent", "--pack-destination", target], folder);
	const parts = ["sbom", "--package-lock-only", "--omit", "dev", "--sbom-format", "cyclonedx"];
	writeFileSync(join(target, `animal-store-${version}.cdx.json`), run("npm", parts));
	writeFileSync(join(target, "licences.tsv"), licences());
	const names = readdirSync(target).sort();
	const sums = names.map(
		(name) =>
			`${createHash("sha256")
				.update(readFileSync(join(target, name)))
				.digest("hex")}  ${name}\n`,
	);
	writeFileSync(join(target, "SHA256SUMS"), sums.join(""));
	return [...names, "SHA256SUMS"];
}

const found = obstacles();
for (const sentence of found) console.error(`before ${version} can be published: ${sentence}`);
if (found.length > 0 && !values["dry-run"]) process.exit(1);
for (const name of make()) console.log(join(target, name));
