// Builds the client: ES modules in dist, and CommonJS in dist/cjs for versions of Node that cannot `require` ES
// modules.

import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const client = fileURLToPath(new URL(".", import.meta.url));
const tsc = fileURLToPath(new URL("../test/node_modules/typescript/bin/tsc", import.meta.url));

/** @throws Error with what the compiler printed */
export function buildClient(folder: string): void {
	compile("-p", client, "--outDir", folder);
	compile("-p", join(client, "tsconfig.cjs.json"), "--outDir", join(folder, "cjs"));
	mkdirSync(join(folder, "cjs"), { recursive: true });
	writeFileSync(join(folder, "cjs/package.json"), '{ "type": "commonjs" }\n');
}

/** Runs the TypeScript compiler. @throws Error with what it printed */
export function compile(...parameters: string[]): void {
	const { status, stdout, stderr } = spawnSync(process.execPath, [tsc, ...parameters], { encoding: "utf8" });
	if (status !== 0) throw new Error(stdout + stderr);
}

if (import.meta.main) buildClient(join(client, "dist"));
