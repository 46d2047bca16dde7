// The targets of docs/performance.md, and whether a run meets them.

import { besideNames, type Field, figuresOf, find, type Measurement, names, type Results, ratioOf } from "./results.ts";

export interface Target {
	name: string;
	value: string;
	target: string;
	isMet: boolean;
}

type Bound = ["≤" | "≥", number];

function targetOf(name: string, value: number | undefined, [sign, bound]: Bound, unit = ""): Target[] {
	if (value === undefined || !Number.isFinite(value)) return [];
	const isMet = sign === "≤" ? value <= bound : value >= bound;
	return [{ name, value: `${value.toFixed(unit ? 0 : 2)}${unit}`, target: `${sign} ${bound}${unit}`, isMet }];
}

/** Each row: a scenario, its baseline (another server or another scenario), the figure, and the bound of the ratio. */
const ratios: [what: string, than: { who?: string; what?: string }, field: Field, bound: Bound][] = [
	["list of 20: first page", { who: names.bare }, "cpuMicros", ["≤", 1.5]],
	["list of 20: first page", { who: names.nginx }, "cpuMicros", ["≤", 2.2]],
	["list of 20: random page", { who: names.bare }, "cpuMicros", ["≤", 2.5]],
	["list of 20: last page", { who: names.bare }, "cpuMicros", ["≤", 2.5]],
	["get: hot", { who: names.bare }, "cpuMicros", ["≤", 1.5]],
	["get: random", { who: names.bare }, "cpuMicros", ["≤", 2.2]],
	["get: random", { who: names.nginx }, "cpuMicros", ["≤", 2.2]],
	["401", { what: "get: hot" }, "cpuMicros", ["≤", 1]],
	["create", { who: names.bare }, "cpuMicros", ["≤", 1.5]],
	["create", { who: names.plain }, "requestsPerSecond", ["≥", 8]],
	["list of 20: first page", { who: names.plain }, "requestsPerSecond", ["≥", 6]],
	["get: random", { who: names.plain }, "requestsPerSecond", ["≥", 3]],
];

export function targetsOf(results: Results): Target[] {
	return [...ratioTargets(results), ...sizeTargets(results), ...latencyTargets(results), ...costTargets(results)];
}

/** The median of the ratios, if both measurements exist. */
function medianRatio(one: Measurement | undefined, other: Measurement | undefined, field: Field): number | undefined {
	return one && other && ratioOf(one, other, field).median;
}

function ratioTargets({ measurements }: Results): Target[] {
	return ratios.flatMap(([what, { who = names.ours, what: other = what }, field, bound]) => {
		const ratio = medianRatio(find(measurements, what, names.ours), find(measurements, other, who), field);
		const than = other === what ? who : other;
		const unit = field === "cpuMicros" ? "CPU" : "requests/s";
		return targetOf(`${what}, ${unit} against ${than}`, ratio, bound);
	});
}

/** Compares the last page of the largest store with random pages. The first page is cached, so it is not comparable. */
function sizeTargets({ sizes }: Results): Target[] {
	const largest = String(Math.max(...sizes.map(({ who }) => Number(who))));
	const [random, last] = ["random", "last"].map((which) => find(sizes, `list of 20: ${which} page`, largest));
	const ratio = medianRatio(last, random, "cpuMicros");
	return targetOf(`last page of ${largest} animals, CPU against a random page`, ratio, ["≤", 1.1]);
}

function latencyTargets({ latencies }: Results): Target[] {
	const [alone, beside] = [besideNames.alone, besideNames.beside].map((name) =>
		latencies.find(({ what, who }) => what === name && who === names.ours),
	);
	const p99s = alone?.rounds.map(({ p99Ms }, round) => (beside?.rounds[round]?.p99Ms ?? Number.NaN) / p99Ms);
	const besideTarget = targetOf(`${besideNames.beside}, p99 against alone`, figuresOf(p99s ?? []).median, ["≤", 3]);
	const ofScenarios = latencies
		.filter(({ who, share }) => who === names.ours && share === 0.7)
		.flatMap(({ what, rounds }) => {
			const ratio = figuresOf(rounds.map(({ p99Ms, p50Ms }) => p99Ms / p50Ms)).median;
			return targetOf(`${what}, p99 against p50 at 70% of saturation`, ratio, ["≤", 5]);
		});
	return [...besideTarget, ...ofScenarios];
}

function costTargets({ starts, measurements }: Results): Target[] {
	const ours = starts.filter(({ who }) => who.startsWith(names.ours));
	const underLoad = measurements.filter(({ who }) => who === names.ours).flatMap(({ rounds }) => rounds);
	const mostMb = underLoad.length > 0 ? Math.max(...underLoad.map(({ rssMb }) => rssMb)) : undefined;
	return [
		...ours.flatMap(({ who, rounds }) => {
			const median = (of: "readyCpuMs" | "rssMb") => figuresOf(rounds.map((round) => round[of])).median;
			const ready = targetOf(`${who}: CPU until ready`, median("readyCpuMs"), ["≤", 200], " ms");
			return [...ready, ...targetOf(`${who}: memory at rest`, median("rssMb"), ["≤", 90], " MB")];
		}),
		...targetOf("memory under load", mostMb, ["≤", 200], " MB"),
	];
}
