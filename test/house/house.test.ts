// Checks the rules of ARCHITECTURE.md in the source, and that documents name only existing files, settings and tests.

import assert from "node:assert/strict";
import { globSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { test } from "node:test";
import { completeLock } from "../../package/lock.ts";
import { type Setting, settings } from "../../src/settings.ts";
import { checkout, read } from "../support/checkout.ts";

/** The files that match, by their paths in the checkout. */
const find = (pattern: string, ...others: string[]) =>
	globSync([pattern, ...others], { cwd: checkout, exclude: ["**/node_modules"] }).sort();
const rooms = "{src,openapi,client/src,console/src,console/reference}";
const sources = find(`${rooms}/**/*.{ts,tsx}`).filter((path) => !path.endsWith(".test.ts"));

/** The titles of the tests in each file, by its path. */
const titlesOfTests = new Map(
	find("src/**/*.ts", "test/*/**/*.ts").map((path) => [
		path,
		[...read(path).matchAll(/^\t*test\(\s*(["`])(.*?)\1,/gm)].map(([, , title = ""]) => title),
	]),
);

/** The files of this repository that each folder may import. */
const mayImport: Record<string, RegExp> = {
	contract: /^src\/contract\//,
	openapi: /^openapi\/|^src\/contract\/|^openapi\.json$/,
	files: /^src\/(contract|files)\//,
	store: /^src\/(contract|store)\//,
	jobs: /^src\/(contract|store|jobs)\/|^src\/main$/,
	keys: /^src\/(contract|keys)\/|^src\/store\/store\.ts$/,
	http: /^src\/(contract|files|http)\/|^openapi\.json$|^src\/store\/store\.ts$|^src\/keys\/(formats|key-check)\.ts$/,
	ops: /^src\/(contract|ops)\/|^src\/store\/store\.ts$/,
	"settings.ts": /^src\/(contract|keys)\/|^src\/http\/proxies\.ts$|^src\/store\/postgres\/url\.ts$/,
	"config.ts": /^src\/settings\.ts$|^src\/store\/postgres\/url\.ts$/,
	"service.ts": /^src\/(?!main|cli)|^dist$|^package\.json$/,
	cli: /^(src\/(?!main)|client\/src\/|package\.json$|$)/, // $: the root of the checkout
	"main.ts": /^src\//,
	client: /^client\/src\//,
	console: /^((console|client)\/src|console\/reference|openapi|src\/(contract|files))\/|^$/,
};

/** The rooms of the console, from the lowest: each imports only itself and those before it. */
const consoleRooms = ["parts", "session", "categories", "edit", "add", "list"];

function importsOf(path: string): string[] {
	return [...read(path).matchAll(/(?:from|import|import\(|new URL\()\s*["`](\.[^"`$]+)/g)].map(([, target = ""]) =>
		relative(checkout, join(checkout, dirname(path), target)),
	);
}

function floorOf(path: string): number {
	const at = consoleRooms.indexOf(path.split("/")[2] ?? "");
	return at < 0 ? consoleRooms.length : at;
}

test("each folder imports only the folders that it may import", () => {
	assert.ok(sources.length > 30);
	for (const path of sources) {
		const [top = "", room = ""] = path.split("/");
		const rule = mayImport[top === "src" ? room : top];
		assert.ok(rule, `${path} is in no room`);
		for (const target of importsOf(path)) {
			assert.match(target, rule, `${path} imports ${target}`);
			if (target.startsWith("console/src/")) assert.ok(floorOf(target) <= floorOf(path), `${path} imports ${target}`);
		}
	}
});

test("no line is wider than 120 columns", () => {
	for (const path of sources) assert.doesNotMatch(read(path).replaceAll("\t", "  "), /^.{121,}$/m, path);
});

test("requests, SQL, environment, clock and Node's own functions stay in their rooms", () => {
	// Only API keys are joined with their secrets in PostgreSQL.
	const joins = /\bJOIN\b|\b(?:FROM|USING) \w+(?: (?:AS )?\w+)?, (?!unnest\()/;
	const clockOrChance = /Date\.now|Math\.random|randomBytes|randomUUID|new Date\(\)\.get/;
	const rules: [files: RegExp, mustNotContain: RegExp][] = [
		// The console imports these files.
		[/^src\/files\//, /"node:|\bBuffer\b|\bprocess\b/],
		[/^(?!src\/http\/listen\.ts)/, /\.on\("(request|checkContinue)"/],
		[/^(?!src\/http\/router\.ts)/, /\brouter\.find\(/],
		[/^(?!src\/(store|cli\/maintenance)\/)/, /\b(SELECT|INSERT INTO|UPDATE|DELETE FROM) \w+/],
		[/^src\/http\//, /sqlite|postgres/i],
		// One function makes texts of strangers harmless for a terminal.
		[/^src\/cli\/(?!output\.)/, /console\.(error|log)|std(out|err)\.write\((?!"\\n")/],
		[/^src\/store\/(postgres\/.*|(?!reads\.)[^/]*)\.ts$/, joins],
		// The code samples are texts for readers. The client, which is outside the service, reads its own defaults.
		[/^(?!(src\/config|openapi\/code-samples|client\/src\/options)\.ts)/, /process\??\.env/],
		[/^src\/(contract|http|keys|store|cli\/maintenance)\//, clockOrChance],
	];
	for (const [files, mustNotContain] of rules) {
		const found = sources.filter((path) => files.test(path));
		assert.ok(found.length > 5, String(files));
		for (const path of found) assert.doesNotMatch(read(path), mustNotContain, path);
	}
	assert.match(read("src/http/router.ts"), /add\(path: string, routes: Partial<Record<"GET" \| "POST", RouteRules>>\)/);
});

test("every file starts with a comment", () => {
	for (const path of [...sources, ...find("{test,bench}/**/*.ts")]) assert.match(read(path), /^\/\/ .{20,}/, path);
});

test("the lock file has what npm leaves out: no engines but of Node's packages, no compiling", () => {
	const text = read("package-lock.json");
	assert.equal(completeLock(text), text, "npm run lock");
});

test("docs/settings.md names every setting with its default", () => {
	const page = read("docs/settings.md");
	for (const [name, { default: preset }] of Object.entries<Setting>(settings))
		assert.ok(page.includes(`| \`${name}\` |${preset === undefined ? "" : ` \`${preset}\` |`}`), name);
});

test("the image, the unit, npm start and the benchmark limit V8's young generation alike", () => {
	const starts = ["deploy/Dockerfile", "deploy/systemd/animal-store.service", "package.json", "bench/servers.ts"];
	const limits = starts.map((path) => /--max-semi-space-size=\d+/.exec(read(path))?.[0]);
	assert.deepEqual(new Set(limits), new Set(["--max-semi-space-size=8"]));
});

test("every file and every test that a document names exists", () => {
	const tests = find("{test,src}/**/*.ts").map(read).join("\n");
	for (const path of find("*.md", "client/README.md", "docs/**/*.md")) {
		const text = read(path);
		for (const [, target = "", heading] of text.matchAll(/\]\((?!https?:)([^)#]*)#?([^)]*)\)/g)) {
			const linked = target ? join(dirname(path), target) : path;
			assert.doesNotThrow(() => read(linked), `${path} links to ${target}`);
			if (heading) assert.ok(anchorsOf(read(linked)).includes(heading), `${path} links to ${linked}#${heading}`);
		}
		for (const [, file = ""] of text.matchAll(/`((?:src|test|bench|bin)\/[\w./-]+\.\w+)`/g))
			assert.doesNotThrow(() => read(file), `${path} names ${file}`);
		for (const [, name = ""] of text.matchAll(/“([^”]+)”/g))
			assert.ok(tests.includes(name.replaceAll(/\s+/g, " ")), `${path} names the test “${name}”`);
	}
});

/** The anchors that GitHub makes from the headings of a page. */
function anchorsOf(page: string): string[] {
	const headings = [...page.matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) => heading.toLowerCase());
	return headings.map((heading) => heading.replaceAll(/[^\w\- ]/g, "").replaceAll(" ", "-"));
}

test("docs has at most 13,000 words in 18 pages, and no line of prose is wider than 130 columns", () => {
	const pages = find("docs/*.md");
	const words = pages.flatMap((path) => read(path).split(/\s+/).filter(Boolean));
	assert.ok(words.length <= 13_000, `${words.length} words`);
	assert.ok(pages.length <= 18, pages.join(" "));
	for (const path of pages) {
		const prose = read(path).replaceAll(/^```[\s\S]*?^```$|^\|.*$/gm, "");
		for (const line of prose.split("\n")) assert.ok([...line].length <= 130, `${path}: ${line}`);
		assert.doesNotMatch(read(path), /^\|.*\n[^|\n]/m, `${path}: a line directly below a table belongs to it`);
	}
});

test("a title of a test is a promise of at most 90 characters", () => {
	const titles = [...titlesOfTests].flatMap(([path, all]) => (path.startsWith("test/") ? all : []));
	assert.ok(titles.length > 400, `${titles.length} titles were found`);
	// An interpolated part counts as eight characters.
	for (const title of titles) assert.ok(title.replaceAll(/\$\{[^}]*\}/g, "12345678").length <= 90, title);
});

test("every promise links to tests and proofs, and quotes titles that the linked files have", () => {
	const items = read("docs/promises.md").split(/^- /m).slice(1);
	assert.ok(items.length > 40, `${items.length} promises`);
	for (const item of items) {
		const links = [...item.matchAll(/\[(?:“([^”]+)”|[^\]]+)\]\(\.\.\/([^)]+)\)/g)];
		assert.ok(links.length > 0, `no test is linked: ${item}`);
		for (const [link, title = "", path = ""] of links) {
			assert.match(path, /\.test\.ts$|\/suite\.ts$|\.requests\.txt$|^test\/proofs\//, link);
			const isQuoted = title === "" || titlesOfTests.get(path)?.some((one) => one.includes(title));
			assert.ok(isQuoted, link);
		}
	}
});
