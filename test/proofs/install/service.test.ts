// The first line of the README works in a clone, with the oldest supported Node and its npm, and with npm 11.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { ask } from "../../support/caller.ts";
import { copyTree } from "../../support/checkout.ts";
import { install, newMachine, oldTools, type Tools } from "../../support/machine.ts";
import { temporaryFolder } from "../../support/service.ts";
import { proofTestLimitMs, until } from "../../support/until.ts";

/** Clones the files of this checkout with git set to write CRLF, as on Windows. @returns the folder of the clone */
function clone(context: TestContext): string {
	const folder = temporaryFolder(context);
	const tree = copyTree(join(folder, "tree"));
	const git = (cwd: string, ...parameters: string[]) => execFileSync("git", parameters, { cwd, encoding: "utf8" });
	git(tree, "init", "--quiet");
	git(tree, "add", ".", ":!node_modules", ":!test/node_modules");
	git(tree, "-c", "user.name=a", "-c", "user.email=a@example.com", "commit", "--quiet", "--message", "all");
	const clone = join(folder, "animal-store");
	git(folder, "clone", "--quiet", "--config", "core.autocrlf=true", tree, clone);
	const changed = git(clone, "ls-files", "--eol")
		.split("\n")
		.filter((line) => /^i\/lf +w\/(?!lf)/.test(line));
	assert.deepEqual(changed, [], "every text has LF");
	return clone;
}

async function proveInstallation(
	context: TestContext,
	tools: Tools,
	ends: readonly (readonly [NodeJS.Signals, "npm" | "group"])[],
) {
	const folder = clone(context);
	// A stop takes so long that a second signal, if npm sent one, would end the service without the log line "stopped".
	const machine = newMachine(context, temporaryFolder(context), folder, tools, { STOP_DELAY: "2s" });
	const { code, lines } = await machine.run("npm", "ci");
	assert.equal(code, 0, lines.join("\n"));
	// npm warns about settings of this machine that it does not know.
	const own = lines.filter((line) => !/^npm warn Unknown (user|env) config/.test(line));
	assert.ok(own.length <= 5 && !/warn|deprecated/i.test(own.join()), lines.join("\n"));
	for (const [signal, whom] of ends) {
		const service = await machine.start("npm", "start");
		assert.equal((await ask(`${service.url}/console`)).status, 200);
		await service.stop(signal, whom);
		await until("a graceful stop", () => service.output().includes('"msg":"stopped"'));
		if (whom === "group") assert.ok(service.output().includes(`"signal":"${signal}","msg":"stopping"`));
	}
}

test("npm 10 and Node 20 install the service without warnings, start it, and end it with npm", {
	timeout: proofTestLimitMs, // npm installs the service.
}, async (context) => {
	// A terminal sends a signal to all of its processes. A signal to npm alone may not be forwarded.
	await proveInstallation(context, oldTools, [
		["SIGINT", "group"],
		["SIGHUP", "group"],
		["SIGTERM", "npm"],
		["SIGHUP", "npm"],
		["SIGKILL", "npm"],
	]);
});

test("npm 11 installs the service without warnings, starts it, and ends it with npm", {
	timeout: proofTestLimitMs, // npm installs itself and the service.
}, async (context) => {
	const { path } = await install(temporaryFolder(context), "npm", "11");
	await proveInstallation(context, { node: process.execPath, npm: join(path, "bin/npm-cli.js") }, [
		["SIGINT", "group"],
		["SIGTERM", "npm"],
	]);
});
