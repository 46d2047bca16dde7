// The folder of this checkout, and copies of the checkout.

import { cpSync, readFileSync, symlinkSync } from "node:fs";
import { basename, join, relative } from "node:path";
import { fileURLToPath } from "node:url";

export const checkout = fileURLToPath(new URL("../..", import.meta.url));

/** The text of a file. @param path its path in the checkout */
export const read = (path: string) => readFileSync(join(checkout, path), "utf8");

/** Copies the checkout to a new folder, without installed packages and generated files. */
export function checkOut(folder: string, without = ["node_modules", "dist", "lib", "data", ".git"]): void {
	const isCopied = (path: string) => relative(checkout, path) === "" || !without.includes(basename(path));
	cpSync(checkout, folder, { recursive: true, filter: isCopied });
}

/** Copies the checkout, so that a test can change it. The copy shares the installed packages. */
export function copyTree(folder: string): string {
	checkOut(folder, ["node_modules", ".git"]);
	for (const path of ["node_modules", "test/node_modules"]) symlinkSync(join(checkout, path), join(folder, path));
	return folder;
}
