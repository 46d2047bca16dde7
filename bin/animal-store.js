#!/usr/bin/env node
// The command, in plain JavaScript that an old Node can read. A checkout runs its sources, the package what was built
// from them.
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { endWithParent, isNewEnough, run } from "./node.js";

endWithParent();
if (isNewEnough) await import(existsSync(new URL("../src", import.meta.url)) ? "../src/main.ts" : "../lib/src/main.js");
else run([fileURLToPath(import.meta.url), ...process.argv.slice(2)]);
