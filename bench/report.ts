// Writes the tables of a run, also into docs/performance.md.

import { readFileSync, writeFileSync } from "node:fs";
import {
	type Field,
	type Figures,
	figuresOf,
	find,
	type Measurement,
	names,
	type Results,
	ratioOf,
	valuesOf,
	verdictOf,
} from "./results.ts";
import { targetsOf } from "./targets.ts";

const [begin, end] = ["<!-- figures -->", "<!-- end of figures -->"];

/** Writes the figures and their tables. */
export function documentResults(results: Results): void {
	writeFileSync("docs/performance.json", `${JSON.stringify(results, null, "\t")}\n`);
	const page = readFileSync("docs/performance.md", "utf8");
	const [before, after] = [page.indexOf(begin), page.indexOf(end)];
	if (before < 0 || after < before) throw new Error(`docs/performance.md has no part between ${begin} and ${end}`);
	const text = `${begin}\n\n${report(results)}\n\n`;
	writeFileSync("docs/performance.md", page.slice(0, before) + text + page.slice(after));
}

/** The tables of all results, in Markdown. */
export function report(results: Results): string {
	const { about, absent, latencies, starts, sizes, measurements, others } = results;
	const parts = [
		`${about}.`,
		...absent.map((text) => `Not measured: ${text}.`),
		measurements.length > 0 && matrix("CPU µs per request", measurements, "cpuMicros", 1),
		measurements.some(hasDatabase) && matrix("CPU µs, database and all", measurements, "totalMicros", 1),
		measurements.length > 0 && matrix("requests/s", measurements.filter(isService), "requestsPerSecond", 0),
		others.length > 0 && againstTable(results),
		latencies.length > 0 && latencyTable(results),
		sizes.length > 0 && matrix("CPU µs by number of animals", sizes, "cpuMicros", 1),
		starts.length > 0 && startTable(results),
		targetsTable(results),
	];
	return parts.filter(Boolean).join("\n\n");
}

/** Whether the server is a service. Bare node:http and nginx only show the cost of HTTP. */
function isService({ who }: Measurement): boolean {
	return who !== names.bare && who !== names.nginx;
}

function hasDatabase({ rounds }: Measurement): boolean {
	return rounds.some(({ databaseMicros }) => databaseMicros !== undefined);
}

function table(head: string[], rows: (string | number)[][]): string {
	const rule = head.map((_, column) => (column === 0 ? "---" : "---:"));
	return [head, rule, ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}

function shown({ median, min, max }: Figures, digits: number): string {
	if (min === max) return median.toFixed(digits);
	return `${median.toFixed(digits)} (${min.toFixed(digits)}–${max.toFixed(digits)})`;
}

/** A table with a row for each scenario and a column for each server; a cell is the median (least–most). */
function matrix(title: string, measurements: Measurement[], field: Field, digits: number): string {
	const servers = [...new Set(measurements.map(({ who }) => who))];
	const scenarios = [...new Set(measurements.map(({ what }) => what))];
	const cell = (what: string, who: string) => {
		const found = find(measurements, what, who);
		return found ? shown(figuresOf(valuesOf(found, field)), digits) : "–";
	};
	return table(
		[title, ...servers],
		scenarios.map((what) => [what, ...servers.map((who) => cell(what, who))]),
	);
}

function againstTable({ measurements, others }: Results): string {
	const ours = measurements.filter(({ who }) => who === names.ours);
	const rows = others.flatMap((other) =>
		ours.flatMap((one) => {
			const theirs = find(measurements, one.what, other);
			if (!theirs) return [];
			return [[one.what, other, shown(ratioOf(one, theirs, "totalMicros"), 3), verdictOf(one, theirs)]];
		}),
	);
	const worse = rows.filter(([, , , verdict]) => verdict === "worse").length;
	const summary = worse === 0 ? "No figure got worse beyond the spread." : `${worse} of ${rows.length} got worse.`;
	return `${table(["CPU of this checkout", "against", "ratio", "verdict"], rows)}\n\n${summary}`;
}

/** Latencies of the service. Those of reference servers and of the lower load are only in docs/performance.json. */
function latencyTable({ latencies }: Results): string {
	const documented = latencies.filter(({ who, share }) => who === names.ours && share !== 0.5);
	const rows = documented.map(({ what, share, rate, rounds }) => {
		const median = (of: "perSecond" | "p50Ms" | "p99Ms" | "p999Ms", digits = 2) =>
			figuresOf(rounds.map((round) => round[of])).median.toFixed(digits);
		const failures = rounds.reduce((sum, round) => sum + round.failures, 0);
		const reached = `${median("perSecond", 0)} of ${rate}`;
		return [
			what,
			share ? `${share * 100}%` : "–",
			reached,
			median("p50Ms"),
			median("p99Ms"),
			median("p999Ms"),
			failures,
		];
	});
	return table(["at a constant rate", "load", "replies/s", "p50 ms", "p99 ms", "p99.9 ms", "failures"], rows);
}

function startTable({ starts }: Results): string {
	const rows = starts.map(({ who, rounds }) => {
		const cell = (of: "readyMs" | "readyCpuMs" | "rssMb") => shown(figuresOf(rounds.map((round) => round[of])), 0);
		return [who, cell("readyMs"), cell("readyCpuMs"), cell("rssMb")];
	});
	return table(["start", "ready after, ms", "CPU until then, ms", "memory at rest, MB"], rows);
}

function targetsTable(results: Results): string {
	const targets = targetsOf(results);
	const missed = targets.filter(({ isMet }) => !isMet).map(({ name, value, target }) => [name, value, target]);
	if (missed.length === 0) return targets.length > 0 ? `All ${targets.length} aims are met.` : "";
	const met = targets.length - missed.length;
	return `${met} of ${targets.length} aims are met, but not these:\n\n${table(["figure", "measured", "aim"], missed)}`;
}
