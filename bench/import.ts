// `npm run bench:import` measures `animal-store import` with a CSV of `--animals N` (100,000): first as a new file,
// while a client sends 50 gets a second, then the same file again. `--against FOLDER` measures an older checkout, too,
// in turns. `--browser` also measures an import of other rows in Chromium, from the choice of the file to the end. The
// last line is the time that SQLite alone needs for the same rows and keys, in transactions of 700.

import { createWriteStream, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { parseArgs } from "node:util";
import Database from "better-sqlite3";
import { petStatuses } from "../src/contract/pet.ts";
import { openSqliteWriter } from "../src/store/sqlite/file.ts";
import { startChromium, unpackChromium } from "../test/support/chromium.ts";
import { runProgram, startProgram } from "../test/support/program.ts";
import { figureOf } from "../test/support/scrape.ts";
import { until } from "../test/support/until.ts";

const { values } = parseArgs({
	options: {
		animals: { type: "string", default: "100000" },
		rounds: { type: "string", default: "1" },
		against: { type: "string" },
		browser: { type: "boolean", default: false },
	},
});
const animals = Number(values.animals);
const rowsOfTransaction = 700;
const getEveryMs = 20;
const folder = mkdtempSync(join(tmpdir(), "animal-store-bench-import-"));
const file = join(folder, "animals.csv");
const cleanUps: (() => void)[] = [() => rmSync(folder, { recursive: true, force: true })];
const columns = ["import", "s", "CPU s: command", "service", "animals/s", "peak MB", "p99 of gets, ms"];
try {
	await pipeline(csv(), createWriteStream(file));
	console.log(`| ${columns.join(" | ")} |\n|---|${"---:|".repeat(columns.length - 1)}`);
	for (let round = 0; round < Number(values.rounds); round++) {
		await measure("", undefined, round);
		if (values.against) await measure("before: ", values.against, round);
	}
	console.log(`| SQLite alone | ${measureSqlite()} | | | | | |`);
} finally {
	for (const cleanUp of cleanUps) cleanUp();
}

async function measure(label: string, tree: string | undefined, round: number): Promise<void> {
	const environment = { DATABASE_URL: `sqlite:${join(folder, `${label ? "before" : "now"}-${round}.db`)}` };
	const options = { environment, ...(tree && { tree }) };
	const key = (await runProgram(["keys", "create", "--name", "bench"], options)).stdout.trim();
	const service = await startProgram({ after: (cleanUp) => cleanUps.unshift(cleanUp) }, environment, options);
	const watch =
		"process.on('exit',()=>{const u=process.resourceUsage();" +
		"console.error('used',u.maxRSS,u.userCPUTime+u.systemCPUTime)})";
	const nodeOptions = ["--import", `data:text/javascript,${watch}`];
	for (const name of ["a new file", "the same file again"]) {
		const cpuBefore = await figureOf(service, "process_cpu_seconds_total");
		const gets = name === "a new file" ? getBeside(service.url, key) : undefined;
		const startedAtMs = performance.now();
		const parameters = ["import", file, "--url", service.url, "--key", key];
		const { code, stderr } = await runProgram(parameters, { ...options, nodeOptions, limitMs: 3_600_000 });
		const seconds = (performance.now() - startedAtMs) / 1000;
		const p99 = gets ? (await gets()).toFixed(1) : "";
		if (code !== 0) throw new Error(stderr);
		const [, peak, cpu] = /used (\d+) (\d+)/.exec(stderr) ?? [];
		const ofService = (await figureOf(service, "process_cpu_seconds_total")) - cpuBefore;
		const figures = [seconds, Number(cpu) / 1e6, ofService].map((value) => value.toFixed(2));
		const others = [(animals / seconds).toFixed(0), (Number(peak) / 1024).toFixed(0), p99];
		console.log(`| ${label}${name} | ${[...figures, ...others].join(" | ")} |`);
	}
	if (values.browser && !tree) console.log(`| in the browser | ${await measureBrowser(service.url, key)} | | | | | |`);
	await service.stop();
}

/** @returns seconds */
async function measureBrowser(url: string, key: string): Promise<string> {
	const unpacked = mkdtempSync(join(folder, "chromium-"));
	await unpackChromium(unpacked);
	const browser = await startChromium(unpacked);
	try {
		const page = await browser.newPage({ locale: "en-US" });
		await page.goto(`${url}/console#/add-many`);
		await page.getByLabel("API key").fill(key);
		await page.getByRole("button", { name: "Sign in" }).click();
		const other = join(folder, "other.csv");
		await pipeline(csv("Other"), createWriteStream(other));
		const startedAtMs = performance.now();
		await page.getByLabel("File of animals").setInputFiles(other);
		await page.locator(".go .primary:not([aria-disabled=true])", { hasText: "Continue" }).click();
		await page.getByRole("button", { name: /^Add [\d,]+ animals$/ }).click();
		// Not Playwright's own waits, because they look only every 500 ms.
		const heading = page.locator(".step-frame h2");
		const isAdded = async () => /^([\d,]+) of \1 animals added$/.test((await heading.textContent()) ?? "");
		await until("the end of the import", isAdded, { withinMs: 600_000, everyMs: 50 });
		return ((performance.now() - startedAtMs) / 1000).toFixed(2);
	} finally {
		await browser.close();
	}
}

/** Sends gets at intervals. @returns a function that stops them, and returns the p99 of their durations in ms */
function getBeside(url: string, key: string): () => Promise<number> {
	const took: number[] = [];
	let isOver = false;
	const sending = (async () => {
		while (!isOver) {
			const startedAtMs = performance.now();
			await (await fetch(`${url}/v1/pets/1`, { headers: { authorization: `Bearer ${key}` } })).text();
			took.push(performance.now() - startedAtMs);
			await new Promise((resolve) => setTimeout(resolve, getEveryMs));
		}
	})();
	return async () => {
		isOver = true;
		await sending;
		return took.sort((one, other) => one - other)[Math.floor(took.length * 0.99)] ?? 0;
	};
}

/** @returns seconds */
function measureSqlite(): string {
	const path = join(folder, "alone.db");
	openSqliteWriter(path).database.close();
	const database = new Database(path);
	database.pragma("journal_mode = WAL");
	database.pragma("synchronous = FULL");
	const addPet = database.prepare("INSERT INTO pets (name, category_id, status) VALUES (?, ?, ?)");
	const addKey = database.prepare("INSERT INTO idempotency_keys VALUES ('import', ?, ?, ?, 1, NULL)");
	const add = database.transaction((from: number) => {
		for (let n = from; n < Math.min(from + rowsOfTransaction, animals); n++) {
			const { lastInsertRowid } = addPet.run(nameOf(n), n % 50, petStatuses[n % petStatuses.length]);
			addKey.run(`${"0".repeat(16)}-${n}`, lastInsertRowid, "0".repeat(64));
		}
	});
	const startedAtMs = performance.now();
	for (let from = 0; from < animals; from += rowsOfTransaction) add(from);
	const seconds = (performance.now() - startedAtMs) / 1000;
	database.close();
	return seconds.toFixed(2);
}

function nameOf(n: number, kind = "Animal"): string {
	return `${kind} ${String(n).padStart(9, "0")}`;
}

function* csv(kind = "Animal"): Generator<string> {
	yield "name,categoryId,status\n";
	for (let n = 0; n < animals; n++) yield `${nameOf(n, kind)},${n % 50},${petStatuses[n % petStatuses.length]}\n`;
}
