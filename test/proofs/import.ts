// One large import through a balancer. SIGKILL ends a node every second, and now and then the command. In the middle
// the API key is revoked, and the import continues with another key. Then LibreOffice opens and saves an export.

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { listAll } from "../support/ledger.ts";
import { freePort } from "../support/postgres-server.ts";
import { begin, keyFor, type Running, runWell, startProgram } from "../support/program.ts";
import { linux, newDatabase, newStore, type Proof, program, type Trial, type TrialStore } from "../support/proof.ts";
import { runSql } from "../support/sql.ts";
import { startBalancer } from "../support/tcp-proxy.ts";
import { proveSpreadsheets } from "./import/spreadsheets.ts";

export const proof: Proof = {
	shows:
		"each row of an import is added once, in the file's order, despite kills of nodes and command and a revoked key; " +
		"LibreOffice shows every cell of an export unchanged, and the file that it saves is imported unchanged",
	needs: [linux, program("soffice", "libreoffice-calc")],
	options: { rows: { default: "200000", text: "rows of the file" } },
	async prove(trial) {
		const rows = Number(trial.option("rows"));
		const file = join(trial.folder, "animals.csv");
		const lines = Array.from({ length: rows }, (_, n) => `animal ${n},${n % 9}\n`);
		writeFileSync(file, `name,categoryId\n${lines.join("")}`);
		const sqlite = await importThrough(trial, file, rows, await newStore("import", trial.folder));
		const postgres = await importThrough(trial, file, rows, await newDatabase(trial));
		return { rows, sqlite, postgres, spreadsheets: await proveSpreadsheets(trial) };
	},
};

const killEveryMs = 1000;

async function importThrough(trial: Trial, file: string, rows: number, { environment, key }: TrialStore) {
	const ports = [await freePort(), await freePort()];
	const start = (port: number) => startProgram(trial, { ...environment, PORT: String(port) });
	const nodes: Running[] = await Promise.all(ports.map(start));
	const url = `http://127.0.0.1:${await startBalancer(trial, () => ports)}`;
	const other = await keyFor(environment.DATABASE_URL);
	const kills = { nodes: 0, commands: 0, keys: 0 };
	let isOver = false;
	const killing = (async () => {
		for (let turn = 0; !isOver; turn++) {
			await sleep(killEveryMs);
			const place = turn % 2;
			await nodes[place]?.stop("SIGKILL");
			nodes[place] = await start(ports[place] as number);
			kills.nodes++;
		}
	})();
	let used = key;
	let report: { added: number; alreadyThere: number; rejected: number } | undefined;
	// Each command may run for longer than the previous one, because each sends the whole file from the beginning.
	for (let livesMs = 2 * killEveryMs; !report; livesMs += killEveryMs) {
		const own = { ANIMAL_STORE_URL: url, ANIMAL_STORE_KEY: used };
		const { child, finished } = begin(["import", file, "--json"], { environment: own, limitMs: 600_000 });
		const killer = setTimeout(() => child.kill("SIGKILL"), livesMs);
		const [{ stored } = {}] = await runSql(environment.DATABASE_URL, "SELECT count(*) AS stored FROM pets");
		trial.say(`${stored} of ${rows} rows, ${JSON.stringify(kills)}`);
		if (kills.keys === 0 && livesMs > 3 * killEveryMs && Number(stored) > rows / 4) {
			await revoke(environment, key);
			kills.keys++;
		}
		const { code, signal, stdout, stderr } = await finished;
		clearTimeout(killer);
		if (signal === "SIGKILL") kills.commands++;
		else if (code === 0) report = JSON.parse(stdout);
		else {
			assert.match(stderr, /this API key does not work/);
			used = other;
		}
	}
	isOver = true;
	await killing;
	assert.ok(kills.nodes > 5 && kills.commands > 1 && kills.keys === 1, JSON.stringify(kills));
	const names = (await listAll(url, other)).map(({ name }) => name);
	assert.equal(names.length, rows);
	for (const [n, name] of names.entries()) assert.equal(name, `animal ${n}`);
	for (const node of nodes) await node.stop();
	return { ...kills, added: report.added, alreadyThere: report.alreadyThere };
}

async function revoke(environment: { DATABASE_URL: string }, key: string): Promise<void> {
	const listed = await runWell(["keys", "list", "--json"], { environment });
	const found = (JSON.parse(listed) as { id: string; last4: string }[]).find(({ last4 }) => key.endsWith(last4));
	await runWell(["keys", "revoke", String(found?.id)], { environment });
}
