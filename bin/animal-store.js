#!/usr/bin/env node
// The command, in plain JavaScript that an old Node can read. A checkout runs its sources, and caches the code that
// Node compiles from them; the package runs JavaScript that was built from the sources.
import { existsSync } from "node:fs";
import module from "node:module";
import { fileURLToPath } from "node:url";
import { endWithParent, isNewEnough, run } from "./node.js";

endWithParent();
const isCheckout = existsSync(new URL("../src", import.meta.url));
// The cache is in node_modules, which other users cannot write to, unlike Node's default folder.
if (isNewEnough && isCheckout)
	module.enableCompileCache(fileURLToPath(new URL("../node_modules/.cache/animal-store", import.meta.url)));
if (isNewEnough) await import(isCheckout ? "../src/main.ts" : "../lib/src/main.js");
// Without the `--`, Node would read an --env-file itself, and report a file that it may not read as "not found".
else run([...process.execArgv, "--", fileURLToPath(import.meta.url), ...process.argv.slice(2)]);
