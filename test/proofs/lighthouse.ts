// Lighthouse on the pages: a phone with a slow network and a slow processor, as Lighthouse simulates it.

import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { systemChromium, unpackChromium, unpackedChromium } from "../chromium.ts";
import { run } from "../client-tools.ts";
import { startProgram } from "../program.ts";
import { newStore, type Proof, type Trial } from "../proof.ts";

interface LookedAt {
	name: string;
	path: string;
	/** What the tab's sessionStorage has before the page is loaded, for pages that need a key. */
	session?: (key: string) => Record<string, string>;
}

const signedIn = (key: string) => ({ "animal-store.key": key });
const pages: LookedAt[] = [
	{ name: "reference", path: "/docs" },
	{ name: "sign-in", path: "/console" },
	{ name: "animals", path: "/console#/animals", session: signedIn },
	{ name: "add many", path: "/console#/add-many", session: signedIn },
	{ name: "activity", path: "/console#/activity", session: signedIn },
];
const version = "13.5.0";
/** The least of each category; the rest of Lighthouse is about search engines. */
const least: Record<string, number> = { performance: 0.9, accessibility: 1 };

interface Result {
	lhr: {
		categories: Record<string, { score: number }>;
		audits: Record<string, { numericValue?: number; score: number | null; title: string }>;
	};
}

interface Tab {
	goto(url: string): Promise<unknown>;
	evaluate(script: string): Promise<unknown>;
	close(): Promise<void>;
}

type Lighthouse = (url: string, flags: object, config: undefined, page: Tab) => Promise<Result>;

export const proof: Proof = {
	shows: "Lighthouse gives the pages at least 0.9 for performance and 1 for accessibility",
	options: { runs: { default: "3", text: "runs for each page; the median counts for performance" } },
	async prove(trial) {
		const { environment, key } = await newStore("lighthouse", trial.folder);
		const service = await startProgram(trial, environment);
		const { lighthouse, newTab } = await install(trial);
		const rows: object[] = [];
		for (const { name, path, session } of pages) {
			const tab = await newTab();
			if (session) {
				await tab.goto(`${service.url}/openapi.json`);
				for (const entry of Object.entries(session(key)))
					await tab.evaluate(`sessionStorage.setItem(...${JSON.stringify(entry)})`);
			}
			const results: Result["lhr"][] = [];
			for (let count = 0; count < Number(trial.option("runs")); count++) {
				const flags = { onlyCategories: Object.keys(least), logLevel: "error" };
				results.push((await lighthouse(service.url + path, flags, undefined, tab)).lhr);
			}
			await tab.close();
			const row = { name, ...scores(results), ...figures(results) };
			trial.say(JSON.stringify(row));
			rows.push(row);
			for (const [category, score] of Object.entries(least))
				assert.ok(median(results, category) >= score, `${name}: ${JSON.stringify(row)} ${failed(results)}`);
		}
		return { version, rows };
	},
};

/** Installs Lighthouse in the trial's folder and starts a browser for it. */
async function install({ folder, after, say }: Trial): Promise<{ lighthouse: Lighthouse; newTab: () => Promise<Tab> }> {
	say(`installing lighthouse ${version}`);
	const options = ["--no-audit", "--no-fund", "--loglevel=error", "--prefer-offline"];
	await run("npm", ["install", "--prefix", folder, ...options, `lighthouse@${version}`], folder);
	const { resolve } = createRequire(join(folder, "node_modules/lighthouse/"));
	const { default: lighthouse } = await import(resolve("lighthouse"));
	const { default: puppeteer } = await import(resolve("puppeteer-core"));
	const own = join(folder, "chromium");
	mkdirSync(own);
	if (!systemChromium) await unpackChromium(own);
	const program = systemChromium ? { executablePath: systemChromium } : unpackedChromium(own);
	const browser = await puppeteer.launch({ ...program, args: ["--no-sandbox", "--headless=shell", "--no-zygote"] });
	after(() => browser.close());
	return { lighthouse, newTab: () => browser.newPage() };
}

function median(results: Result["lhr"][], category: string): number {
	const sorted = results.map(({ categories }) => categories[category]?.score ?? 0).sort((a, b) => a - b);
	return sorted[Math.floor(sorted.length / 2)] ?? 0;
}

function scores(results: Result["lhr"][]): object {
	return Object.fromEntries(Object.keys(least).map((category) => [category, median(results, category)]));
}

/** Of the last run, in milliseconds and bytes; the shift of the layout has no unit. */
function figures(results: Result["lhr"][]): object {
	const { audits = {} } = results.at(-1) ?? {};
	const value = (name: string) => Math.round((audits[name]?.numericValue ?? 0) * 1000) / 1000;
	return {
		firstPaintMs: Math.round(value("first-contentful-paint")),
		largestPaintMs: Math.round(value("largest-contentful-paint")),
		blockedMs: Math.round(value("total-blocking-time")),
		layoutShift: value("cumulative-layout-shift"),
		bytes: value("total-byte-weight"),
	};
}

function failed(results: Result["lhr"][]): string {
	const audits = Object.values(results.at(-1)?.audits ?? {});
	return audits
		.filter(({ score }) => score !== null && score < 0.9)
		.map(({ title }) => title)
		.join("; ");
}
