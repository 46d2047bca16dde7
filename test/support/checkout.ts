// The folder of this checkout, and copies of the checkout.

import { cpSync, readFileSync, symlinkSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";

export const checkout = fileURLToPath(new URL("../..", import.meta.url));

/** The text of a file. @param path its path in the checkout */
export const read = (path: string) => readFileSync(join(checkout, path), "utf8");

/** Copies the checkout, so that a test can change it. The copy shares the installed packages. */
export function copyTree(folder: string): string {
	const isCopied = (path: string) => !["node_modules", ".git"].includes(basename(path));
	cpSync(checkout, folder, { recursive: true, filter: isCopied, preserveTimestamps: true });
	for (const path of ["node_modules", "test/node_modules"]) symlinkSync(join(checkout, path), join(folder, path));
	return folder;
}
