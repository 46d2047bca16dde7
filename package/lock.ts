// `npm run lock` updates package-lock.json, then changes some of its fields. All packages run on the Node that
// bin/node.js finds, whichever Node runs npm: the packages' `engines` would only cause warnings, so they are removed.
// The packages that contain Node get `engines`, so that npm installs them only where they are needed. `gypfile: false`
// is in the package.json of better-sqlite3; unless the lock file has it, too, npm 9 and 10 try to compile.

import { execSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const root = new URL("../", import.meta.url);
const lockFile = new URL("package-lock.json", root);

interface LockEntry {
	engines?: Record<string, string>;
	gypfile?: boolean;
	[field: string]: unknown;
}

/** The text of a lock file with these changes. */
export function completeLock(text: string): string {
	const lock = JSON.parse(text) as { packages: Record<string, LockEntry> };
	for (const [path, entry] of Object.entries(lock.packages)) {
		if (path === "") continue;
		delete entry.engines;
		if (/^node_modules\/node-(linux|darwin|win|bin)\b/.test(path)) entry.engines = { node: "<24" };
		if (path.endsWith("/better-sqlite3")) entry.gypfile = false;
	}
	return `${JSON.stringify(lock, null, "\t")}\n`;
}

if (import.meta.main) {
	const options = { cwd: fileURLToPath(root), stdio: "inherit" } as const;
	execSync("npm install --package-lock-only --ignore-scripts --no-audit", options);
	writeFileSync(lockFile, completeLock(readFileSync(lockFile, "utf8")));
}
