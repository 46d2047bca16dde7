// Builds the console and the reference of a checkout if missing or outdated, because `npm install` does not build them.

import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { say } from "./output.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const sources = ["console", "client/src", "openapi", "src/contract", "src/files"];
const lockFile = "package-lock.json";

/** Does nothing if the sources or their tools are not installed. */
export function buildConsole(): void {
	const vite = join(root, "node_modules/vite/bin/vite.js");
	if (!existsSync(vite) || !existsSync(join(root, "console/vite.config.ts")) || !isOutdated()) return;
	say("building the console …");
	const parameters = [vite, "build", "console", "--logLevel", "warn"];
	execFileSync(process.execPath, parameters, { cwd: root, stdio: ["ignore", 2, 2] });
	// This is built last, because `isOutdated` compares its output with the sources.
	execFileSync(process.execPath, [join(root, "console/reference/build.ts")], { stdio: ["ignore", 2, 2] });
}

function isOutdated(): boolean {
	const built = statSync(join(root, "dist/docs/mark.svg"), { throwIfNoEntry: false });
	if (!built) return true;
	// Not by a glob pattern, which takes longer than everything else here.
	const paths = sources.flatMap((folder) =>
		readdirSync(join(root, folder), { recursive: true }).map((name) => join(folder, String(name))),
	);
	return [...paths, lockFile].some((path) => statSync(join(root, path)).mtimeMs > built.mtimeMs);
}
