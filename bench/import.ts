// `npm run bench:import` measures `animal-store import` with a CSV of `--animals N` (100,000), first as a new file,
// then the same file again. Service and command run on this machine.

import { createWriteStream, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { parseArgs } from "node:util";
import { petStatuses } from "../src/contract/pet.ts";
import { runProgram, startProgram } from "../test/support/program.ts";

const { values } = parseArgs({ options: { animals: { type: "string", default: "100000" } } });
const animals = Number(values.animals);
const folder = mkdtempSync(join(tmpdir(), "animal-store-bench-import-"));
const cleanUps: (() => void)[] = [() => rmSync(folder, { recursive: true, force: true })];
try {
	const environment = { DATABASE_URL: `sqlite:${join(folder, "animals.db")}` };
	const key = (await runProgram(["keys", "create", "--name", "bench"], { environment })).stdout.trim();
	const { url } = await startProgram({ after: (cleanUp) => cleanUps.unshift(cleanUp) }, environment);
	const file = join(folder, "animals.csv");
	await pipeline(csv(), createWriteStream(file));
	console.log("| import | animals | s | animals/s | peak memory, MB |\n|---|---:|---:|---:|---:|");
	const watch = "process.on('exit',()=>console.error('peak',process.resourceUsage().maxRSS))";
	const nodeOptions = ["--import", `data:text/javascript,${watch}`];
	for (const name of ["a new file", "the same file again"]) {
		const startedAtMs = performance.now();
		const parameters = ["import", file, "--url", url, "--key", key];
		const { code, stderr } = await runProgram(parameters, { nodeOptions, limitMs: 3_600_000 });
		const seconds = (performance.now() - startedAtMs) / 1000;
		if (code !== 0) throw new Error(stderr);
		const peakMb = Number(/peak (\d+)/.exec(stderr)?.[1]) / 1024;
		const figures = [animals, seconds.toFixed(1), (animals / seconds).toFixed(0), peakMb.toFixed(0)];
		console.log(`| ${name} | ${figures.join(" | ")} |`);
	}
} finally {
	for (const cleanUp of cleanUps) cleanUp();
}

function* csv(): Generator<string> {
	yield "name,categoryId,status\n";
	for (let n = 0; n < animals; n++)
		yield `Animal ${String(n).padStart(9, "0")},${n % 50},${petStatuses[n % petStatuses.length]}\n`;
}
