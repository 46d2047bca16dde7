// The package as npm makes it, installed in an empty folder: what users get.

import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, readdirSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const checkout = fileURLToPath(new URL("../..", import.meta.url));

export interface Shipped {
	tarball: string;
	/** The folder in which npm has installed it. */
	place: string;
	/** The folder of the installed package. */
	tree: string;
}

/** npm chooses versions for the Node that runs it: this one. */
export const npmEnvironment = {
	...process.env,
	PATH: `${dirname(process.execPath)}${delimiter}${process.env["PATH"]}`,
};

/** @param folder an empty one, which every user may read afterwards */
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
