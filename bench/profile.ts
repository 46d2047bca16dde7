// `npm run bench:profile` shows which parts of the service use the CPU time of a request, from samples of V8's profiler
// on the main thread. Options: `--only WORDS` of scenarios, `--seconds N` of load, `--animals N` in the store.

import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { fill } from "./fill.ts";
import { mainThreadSeconds, measureWarm, warmUp } from "./load.ts";
import { loadOf, pagesOf, scenarios } from "./scenarios.ts";
import { folder, startNode, stopAll } from "./servers.ts";

const { values } = parseArgs({
	options: {
		only: { type: "string", default: "first page,last page,get: hot,401,create" },
		seconds: { type: "string", default: "5" },
		animals: { type: "string", default: "100000" },
	},
});

/** A sample belongs to the first part whose pattern matches its file and function. */
const parts: [part: string, pattern: RegExp][] = [
	["write to the socket", /write(Utf8|Latin1)String|writeBuffer|writev/],
	["log and metrics", /src\/ops|reply-watch|http\/traffic/],
	["hashes", /crypto|http\/paging/],
	["store", /src\/store|better-sqlite3|methods\/wrappers/],
	["JSON", /src\/contract|http\/body/],
	["rest of the service", /src\//],
	[
		"Node's HTTP and streams",
		/node:(_http|internal\/(streams|stream_base|timers|process)|events|net|timers)|getLibuvNow/,
	],
	["garbage collector", /garbage collector/],
];
const rest = "other";

interface Profile {
	nodes: { id: number; callFrame: { functionName: string; url: string } }[];
	samples: number[];
	timeDeltas: number[];
}

/** The share of each part in the samples of the last `seconds`, without samples in which the thread was idle. */
function sharesOf({ nodes, samples, timeDeltas }: Profile, seconds: number): Map<string, number> {
	const partOf = new Map(
		nodes.map(({ id, callFrame: { functionName, url } }) => {
			const text = `${url} ${functionName}`;
			return [id, functionName === "(idle)" ? undefined : (parts.find(([, found]) => found.test(text))?.[0] ?? rest)];
		}),
	);
	const micros = new Map<string, number>();
	let [left, total] = [seconds * 1e6, 0];
	for (let index = samples.length - 1; index >= 0 && left > 0; index--) {
		const delta = timeDeltas[index] ?? 0;
		left -= delta;
		const part = partOf.get(samples[index] ?? 0);
		if (part === undefined) continue;
		total += delta;
		micros.set(part, (micros.get(part) ?? 0) + delta);
	}
	return new Map([...micros].map(([part, sum]) => [part, sum / total]));
}

const wanted = scenarios.filter(({ name }) => values.only.split(",").some((word) => name.includes(word)));
const rows = new Map<string, string[]>([...parts.map(([part]) => part), rest].map((part) => [part, []]));
const totals: string[] = [];
const otherThreads: string[] = [];

try {
	const databaseUrl = `sqlite:${join(folder, "animals.db")}`;
	const key = await fill(databaseUrl, Number(values.animals));
	for (const [index, scenario] of wanted.entries()) {
		const profiles = join(folder, `profiles-${index}`);
		mkdirSync(profiles);
		const server = await startNode({
			name: "the service",
			parameters: ["--cpu-prof", `--cpu-prof-dir=${profiles}`, "bin/animal-store.js", "serve"],
			environment: { DATABASE_URL: databaseUrl, PORT: "0", OPS_PORT: "0" },
			key,
		});
		const seconds = Number(values.seconds);
		const load = await loadOf(scenario, pagesOf(server, Number(values.animals)), seconds);
		await warmUp([{ load }]);
		const before = mainThreadSeconds(server.pid);
		const { cpuMicros, requestsPerSecond } = await measureWarm([{ pid: server.pid, load }]);
		const mainMicros = ((mainThreadSeconds(server.pid) - before) / (requestsPerSecond * seconds)) * 1e6;
		await server.stop();
		const [main = ""] = readdirSync(profiles).sort();
		const shares = sharesOf(JSON.parse(readFileSync(join(profiles, main), "utf8")), seconds);
		for (const [part, figures] of rows) figures.push(((shares.get(part) ?? 0) * mainMicros).toFixed(1));
		totals.push(mainMicros.toFixed(1));
		otherThreads.push((cpuMicros - mainMicros).toFixed(1));
	}
} finally {
	stopAll();
}

const row = (name: string, figures: string[]) => `| ${[name, ...figures].join(" | ")} |`;
console.log(
	row(
		"CPU µs per request",
		wanted.map(({ name }) => name),
	),
);
console.log(`|---|${wanted.map(() => "---:|").join("")}`);
for (const [part, figures] of rows) console.log(row(part, figures));
console.log(row("**main thread**", totals));
console.log(row("other threads, with the profiler's", otherThreads));
