// The client as users get it: built, packed, and installed from its tarball into a folder.

import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before } from "node:test";
import { buildClient, compile } from "../../client/build.ts";
import { checkout } from "../support/checkout.ts";

const client = join(checkout, "client");

/** Installs the client before the tests of a file, and removes it afterwards. @returns its folder */
export function installedClient(): string {
	const folder = mkdtempSync(join(tmpdir(), "animal-store-installed-"));
	before(() => install(folder));
	after(() => rmSync(folder, { recursive: true, force: true }));
	return folder;
}

/** Packs the client as client.tgz in this folder, and installs it there. */
function install(folder: string): void {
	const build = mkdtempSync(join(tmpdir(), "animal-store-client-"));
	try {
		for (const name of ["package.json", "README.md"]) cpSync(join(client, name), join(build, name));
		buildClient(join(build, "dist"));
		const npm = (parameters: string[], cwd: string) =>
			execFileSync("npm", [...parameters, "--loglevel=error"], { cwd, encoding: "utf8" }).trim();
		const tarball = join(build, npm(["pack", "--ignore-scripts"], build).split("\n").at(-1) ?? "");
		writeFileSync(join(folder, "package.json"), '{"private":true,"type":"module"}');
		cpSync(tarball, join(folder, "client.tgz"));
		npm(["install", "--offline", "--no-audit", "--no-fund", "./client.tgz"], folder);
	} finally {
		rmSync(build, { recursive: true, force: true });
	}
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
		...["--types", "node", "--typeRoots", join(import.meta.dirname, "../node_modules/@types"), ...files],
	);
}
