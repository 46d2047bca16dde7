// Generates docs/promises.md from the table of promises, and records the last long run of each proof.

import { globSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Proven, promises } from "../promises.ts";
import { statements } from "../statements.ts";
import { checkout, read } from "../support/checkout.ts";

const runsFile = join(checkout, "test/last-runs.json");

/** @param run the date, options and result of the proof's run, in one line */
export function recordRun(name: string, run: string): void {
	const last: Record<string, string> = JSON.parse(read("test/last-runs.json"));
	const runs = Object.entries({ ...last, [name]: run }).sort(([a], [b]) => (a < b ? -1 : 1));
	writeFileSync(runsFile, `${JSON.stringify(Object.fromEntries(runs), null, "\t")}\n`);
}

const introduction = `# Promises, and their proofs

Each promise is followed by the files whose tests fail when it is broken (\`npm test\`), some of them recorded requests and replies
in \`test/contract/corpus\`, and by its long-running proofs (\`npm run prove -- --only crash\`). The titles of the tests are in
\`test/promises.ts\`, from which this page is generated; \`test/last-runs.json\` has the last run of each proof.`;

/** An item of a list, wrapped like the other pages. */
function item(text: string): string {
	const lines = [""];
	for (const word of text.split(" ")) {
		const longer = `${lines.at(-1)} ${word}`.trim();
		if (2 + longer.length <= 130) lines[lines.length - 1] = longer;
		else lines.push(word);
	}
	return `- ${lines.join("\n  ")}`;
}

/** The titles of the tests in each file, by its path. */
export function titlesOfTests(): Map<string, string[]> {
	const paths = globSync(["src/**/*.ts", "test/*/**/*.ts"], { cwd: checkout, exclude: ["**/node_modules"] });
	const titlesIn = (path: string) =>
		[...read(path).matchAll(/^\t*test\(\s*(["`])(.*?)\1,/gm)].map(([, , title = ""]) => title);
	return new Map(paths.sort().map((path) => [path, titlesIn(path)]));
}

/** The files that prove a promise. Each title is a part of a test's, the path of a file, or the name of a corpus. */
export function filesThatProve(titles: string[], tests: ReturnType<typeof titlesOfTests>): string[] {
	const files = titles.flatMap((title) => {
		if (title.startsWith("test/")) return [title];
		if (!title.includes(" ")) return [`test/contract/corpus/${title}.requests.txt`];
		const found = [...tests].filter(([, all]) => all.some((one) => one.includes(title))).map(([path]) => path);
		if (found.length === 0) throw new Error(`test/promises.ts names a test that does not exist: ${title}`);
		return found;
	});
	return [...new Set(files)];
}

export function promisesPage(): string {
	const tests = titlesOfTests();
	const itemOf = ({ says, tests: titles, proofs = [] }: Proven) => {
		const files = filesThatProve(titles, tests).map((path) => `\`${path.replace("test/", "")}\``);
		return item(`${says} ${[...files, ...proofs.map((name) => `**${name}**`)].join(" ")}`);
	};
	const section = (heading: string, all: Proven[]) => `## ${heading}\n\n${all.map(itemOf).join("\n")}`;
	return `${[
		introduction,
		...Object.entries(promises).map(([heading, all]) => section(heading, all)),
		section("The interface document, statement by statement", statements),
	].join("\n\n")}\n`;
}
