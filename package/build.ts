// `npm pack` and `npm publish` run this first. It writes lib/: src and client/src as JavaScript, because Node strips no
// types below node_modules, with openapi.json and the built pages.

import { execFileSync } from "node:child_process";
import { cpSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { buildConsole } from "../src/cli/build-console.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const lib = join(root, "lib");

rmSync(lib, { recursive: true, force: true });
buildConsole();
execFileSync(process.execPath, [join(root, "test/node_modules/typescript/bin/tsc"), "-p", join(root, "package")], {
	stdio: "inherit",
});
for (const page of ["console", "docs"]) cpSync(join(root, "dist", page), join(lib, "dist", page), { recursive: true });
cpSync(join(root, "src"), join(lib, "src"), { recursive: true, filter: (path) => !/\.ts$/.test(path) });
cpSync(join(root, "openapi.json"), join(lib, "openapi.json"));
const { version, type } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
writeFileSync(join(lib, "package.json"), `${JSON.stringify({ type, version })}\n`);
