// The titles of the tests, which documents quote.

import { globSync } from "node:fs";
import { checkout, read } from "../support/checkout.ts";

/** The titles of the tests in each file, by its path. */
export function titlesOfTests(): Map<string, string[]> {
	const paths = globSync(["src/**/*.ts", "test/*/**/*.ts"], { cwd: checkout, exclude: ["**/node_modules"] });
	const titlesIn = (path: string) =>
		[...read(path).matchAll(/^\t*test\(\s*(["`])(.*?)\1,/gm)].map(([, , title = ""]) => title);
	return new Map(paths.sort().map((path) => [path, titlesIn(path)]));
}
