// The unit for systemd: well-formed, as closed as it says, and open for every system call that the service makes.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { Agent } from "node:http";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { post } from "../crash-proof.ts";
import { attempt } from "../full-disk.ts";
import { listAll } from "../ledger.ts";
import { startProgram } from "../program.ts";
import { linux, newStore, type Proof, program } from "../proof.ts";

const unit = fileURLToPath(new URL("../../deploy/systemd/animal-store.service", import.meta.url));
const analyze = (...parameters: string[]) => execFileSync("systemd-analyze", parameters, { encoding: "utf8" });
/** In tenths, as systemd-analyze takes it. */
const exposureMax = 15;

export const proof: Proof = {
	shows: "the unit for systemd is well-formed and closed, and allows what the service does",
	needs: [linux, program("systemd-analyze", "systemd"), program("strace")],
	async prove(trial) {
		const copy = join(trial.folder, "animal-store.service");
		writeFileSync(copy, readFileSync(unit, "utf8").replace(/^ExecStart=\S+/m, "ExecStart=/bin/true"));
		execFileSync("systemd-analyze", ["verify", copy], { stdio: "pipe" });
		const security = analyze("security", "--offline=true", `--threshold=${exposureMax}`, unit);
		const exposure = Number(/Overall exposure level .*: ([\d.]+)/.exec(security)?.[1]);
		const { environment, key } = await newStore("systemd", trial.folder);
		const calls = join(trial.folder, "calls");
		const service = await startProgram(trial, environment, { under: ["strace", "-f", "-c", "-o", calls] });
		const agent = new Agent({ keepAlive: true });
		for (let number = 0; number < 50; number++) await post(service.url, key, agent, attempt(number));
		agent.destroy();
		await listAll(service.url, key);
		for (const path of ["/console", "/readyz"]) await fetch(service.url + path);
		await fetch(`${service.opsUrl}/metrics`);
		// strace passes no signal on; the service is its child.
		const [child = ""] = execFileSync("pgrep", ["-P", String(service.pid)], { encoding: "utf8" }).split("\n");
		process.kill(Number(child), "SIGTERM");
		await service.finished;
		const made = [...readFileSync(calls, "utf8").matchAll(/^ *[\d.]+ .* (\w+)$/gm)].map(([, name = ""]) => name);
		const used = made.filter((name) => name !== "total" && name !== "syscall");
		assert.ok(used.length > 20, String(used));
		const allowed = members("@system-service");
		const denied = new Set([...members("@privileged"), ...members("@resources")]);
		// SQLite gives its log to the owner of the store, if it runs as root; the unit's user is another one.
		const asRoot = process.getuid?.() === 0 ? ["fchown"] : [];
		const refused = used.filter((name) => !asRoot.includes(name) && (!allowed.has(name) || denied.has(name)));
		assert.deepEqual(refused, []);
		return { exposure, calls: used.length };
	},
};

/** The system calls of a group, those of the groups in it included. */
function members(group: string): Set<string> {
	const names = analyze("syscall-filter", group)
		.split("\n")
		.slice(1)
		.map((line) => line.trim())
		.filter((line) => line !== "" && !line.startsWith("#"));
	return new Set(names.flatMap((name) => (name.startsWith("@") ? [...members(name)] : [name])));
}
