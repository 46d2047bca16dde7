#!/usr/bin/env node
// The command, in plain JavaScript that an old Node can read.
import { fileURLToPath } from "node:url";
import { endWithParent, isNewEnough, run } from "./node.js";

endWithParent();
if (isNewEnough) await import("../src/main.ts");
else run([fileURLToPath(import.meta.url), ...process.argv.slice(2)]);
