#!/usr/bin/env node
// The command, in plain JavaScript that an old Node can read. A checkout runs its sources, and keeps the code that Node
// compiles from them; the package runs JavaScript that was built from them.
import { existsSync } from "node:fs";
import module from "node:module";
import { fileURLToPath } from "node:url";
import { endWithParent, isNewEnough, run } from "./node.js";

endWithParent();
const isCheckout = existsSync(new URL("../src", import.meta.url));
// In node_modules, which nobody else writes, unlike Node's default folder.
if (isNewEnough && isCheckout)
	module.enableCompileCache(fileURLToPath(new URL("../node_modules/.cache/animal-store", import.meta.url)));
if (isNewEnough) await import(isCheckout ? "../src/main.ts" : "../lib/src/main.js");
// Node reads an --env-file itself, and says "not found" of one that it may not read, unless `--` stands before it.
else run([...process.execArgv, "--", fileURLToPath(import.meta.url), ...process.argv.slice(2)]);
