// The client in a folder where programs can import it: only built, or packed and installed from its tarball as users do.

import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before } from "node:test";
import { buildClient, compile } from "../../client/build.ts";
import { checkout } from "./checkout.ts";

const client = join(checkout, "client");

/** Builds the client before the tests of a file, without npm. @returns the folder of programs that import it */
export function builtClient(): string {
	return folderFor((folder) => buildPackage(join(folder, "node_modules/@animal-store/client")));
}

/** Packs the client as client.tgz before the tests of a file, and installs it with npm. @returns the folder of both */
export function installedClient(): string {
	return folderFor((folder) => {
		const build = join(folder, "build");
		buildPackage(build);
		const npm = (parameters: string[], cwd: string) =>
			execFileSync("npm", [...parameters, "--loglevel=error"], { cwd, encoding: "utf8" }).trim();
		const tarball = join(build, npm(["pack", "--ignore-scripts"], build).split("\n").at(-1) ?? "");
		cpSync(tarball, join(folder, "client.tgz"));
		npm(["install", "--offline", "--no-audit", "--no-fund", "./client.tgz"], folder);
	});
}

function folderFor(fill: (folder: string) => void): string {
	const folder = mkdtempSync(join(tmpdir(), "animal-store-client-"));
	before(() => {
		writeFileSync(join(folder, "package.json"), '{"private":true,"type":"module"}');
		fill(folder);
	});
	after(() => rmSync(folder, { recursive: true, force: true }));
	return folder;
}

function buildPackage(folder: string): void {
	mkdirSync(folder, { recursive: true });
	for (const name of ["package.json", "README.md"]) cpSync(join(client, name), join(folder, name));
	buildClient(join(folder, "dist"));
}

/** Compiles programs that use the client in this folder, with the compiler's strict rules. */
export function compilePrograms(folder: string, texts: string[]): void {
	const files = texts.map((text, index) => {
		const file = join(folder, `compiled-${index}.ts`);
		writeFileSync(file, text);
		return file;
	});
	compile(
		...["--ignoreConfig", "--noEmit", "--strict", "--target", "es2024", "--module", "nodenext"],
		...["--types", "node", "--typeRoots", join(checkout, "test/node_modules/@types"), ...files],
	);
}
