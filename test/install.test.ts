// The first line of the README on a machine with the oldest supported Node and the npm that came with it.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { completeLock } from "../package/lock.ts";
import { newCheckout } from "./checkout.ts";
import { temporaryFolder } from "./service.ts";

test("the lock file has what npm leaves out: no engines but for the packages of Node, and no compiling", () => {
	const text = readFileSync(new URL("../package-lock.json", import.meta.url), "utf8");
	assert.equal(completeLock(text), text, "npm run lock");
});

test("npm 10 and Node 20 install it in silence, start it, and end it with npm", async (context) => {
	const installed = (name: string) => fileURLToPath(new URL(`./node_modules/${name}`, import.meta.url));
	const node = installed(`node-20-${process.platform}-${process.arch}/bin/node`);
	const tools = { node, npm: installed("npm-10/bin/npm-cli.js") };
	const checkout = newCheckout(context, temporaryFolder(context), tools);
	const { code, lines } = await checkout.npm("ci");
	assert.equal(code, 0, lines.join("\n"));
	assert.ok(lines.length <= 5 && !/warn|deprecated/i.test(lines.join()), lines.join("\n"));
	// A terminal sends to all of its processes; npm does not pass every signal on.
	const ends = [
		["SIGINT", "group"],
		["SIGHUP", "group"],
		["SIGTERM", "npm"],
		["SIGHUP", "npm"],
		["SIGKILL", "npm"],
	] as const;
	for (const [signal, whom] of ends) {
		const service = await checkout.start();
		assert.equal((await fetch(`${service.url}/console`)).status, 200);
		await service.stop(signal, whom);
	}
});
