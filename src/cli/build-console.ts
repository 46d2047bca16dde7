// Builds a checkout's console and reference if they are missing or outdated. `npm install` does not build them.

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
	// The reference is built last, because `isOutdated` compares the age of its file with that of the sources.
	execFileSync(process.execPath, [join(root, "console/reference/build.ts")], { stdio: ["ignore", 2, 2] });
}

function isOutdated(): boolean {
	const built = statSync(join(root, "dist/docs/mark.svg"), { throwIfNoEntry: false });
	if (!built) return true;
	// The files are not found by a glob pattern, because that would take longer than everything else here.
	const paths = sources.flatMap((folder) =>
		readdirSync(join(root, folder), { recursive: true }).map((name) => join(folder, String(name))),
	);
	return [...paths, lockFile].some((path) => statSync(join(root, path)).mtimeMs > built.mtimeMs);
}
