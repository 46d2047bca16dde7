// The package that users get: built by npm, and installed in an empty folder.

import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, readdirSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { checkout } from "./checkout.ts";

export interface Shipped {
	tarball: string;
	/** The folder in which npm installed the package. */
	place: string;
	/** The folder of the package's own files, in `node_modules`. */
	tree: string;
}

/** Puts this Node first on the PATH, because npm chooses versions for the Node that runs npm. */
export const npmEnvironment = {
	...process.env,
	PATH: `${dirname(process.execPath)}${delimiter}${process.env["PATH"]}`,
};

/** @param folder an empty folder; afterwards every user may read it */
export function installPackage(folder: string): Shipped {
	const place = join(folder, "installed");
	mkdirSync(place);
	for (const path of [folder, place]) chmodSync(path, 0o755);
	const npm = (cwd: string, ...parameters: string[]) =>
		execFileSync("npm", parameters, { cwd, env: npmEnvironment, stdio: "pipe" });
	npm(checkout, "pack", "--pack-destination", folder);
	const [name = ""] = readdirSync(folder).filter((name) => name.endsWith(".tgz"));
	const tarball = join(folder, name);
	npm(place, "init", "-y");
	npm(place, "install", "--no-audit", "--no-fund", tarball);
	return { tarball, place, tree: join(place, "node_modules/animal-store") };
}
