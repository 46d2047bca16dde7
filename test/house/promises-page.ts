// Generates docs/promises.md from the table of promises and from the last long run of each proof.

import { readFileSync, writeFileSync } from "node:fs";
import { type Proven, promises, statements } from "../promises.ts";

/** The last run of a proof: its date, its options besides the name, and its result. */
export interface LastRun {
	date: string;
	options: string;
	result: string;
}

const page = new URL("../../docs/promises.md", import.meta.url);
const runsFile = new URL("../last-runs.json", import.meta.url);
const readRuns = (): Record<string, LastRun> => JSON.parse(readFileSync(runsFile, "utf8"));

export function recordRun(name: string, run: LastRun): void {
	const runs = Object.entries({ ...readRuns(), [name]: run }).sort(([a], [b]) => (a < b ? -1 : 1));
	writeFileSync(runsFile, `${JSON.stringify(Object.fromEntries(runs), null, "\t")}\n`);
	writePromises();
}

export function writePromises(): void {
	writeFileSync(page, promisesPage());
}

const introduction = `# Promises, and their proofs

Below each promise are the titles of the tests that fail when it is broken (\`npm test\`), or files of requests and
replies in \`test/contract/corpus\`; in parentheses, long proofs (\`npm run prove -- --only crash\`), whose last runs are
at the end. Generated from \`test/promises.ts\` and \`test/last-runs.json\`.`;

const runsHead = `## Last long runs

Of the installed tarball, except image, install, mutants and mutations; on 2 shared cores of an AMD EPYC, beside others, ext4;
with the embedded store unless stated otherwise. \`npm run prove -- --record\` writes them.`;

/** An item of a list, wrapped like the other pages. */
function item(text: string, indent: string): string {
	const lines = [""];
	for (const word of text.split(" ")) {
		const longer = `${lines.at(-1)} ${word}`.trim();
		if (indent.length + 2 + longer.length <= 130) lines[lines.length - 1] = longer;
		else lines.push(word);
	}
	return `${indent}- ${lines.join(`\n${indent}  `)}`;
}

function itemOf({ says, tests, proofs = [] }: Proven): string {
	const long = proofs.length > 0 ? ` (${proofs.map((name) => `\`${name}\``).join(", ")})` : "";
	return [item(`**${says}**${long}`, ""), ...tests.map((title) => item(title, "  "))].join("\n");
}

export function promisesPage(): string {
	const runs = Object.entries(readRuns()).map(([name, { date, options, result }]) => {
		// Seeds are in the file.
		const shown = options.replace(/^--seed \d+ ?/, "");
		return item(`\`${name}${shown && ` ${shown}`}\`, ${date}: ${result}.`, "");
	});
	return `${[
		introduction,
		...Object.entries(promises).map(([heading, all]) => `## ${heading}\n\n${all.map(itemOf).join("\n")}`),
		`## The interface document, statement by statement\n\n${statements.map(itemOf).join("\n")}`,
		runsHead,
		runs.join("\n"),
	].join("\n\n")}\n`;
}
