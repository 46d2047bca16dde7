// The results of `npm run bench`, in the form of their JSON file, and the figures that reports derive from them.

import type { Result } from "./load.ts";
import type { Latency } from "./steady.ts";

export const names = {
	ours: "animal-store",
	bare: "bare node:http",
	nginx: "nginx",
	plain: "plain service",
} as const;

/** Scenarios of gets at a constant rate. */
export const besideNames = { alone: "get: alone", beside: "get: while 64 connections create" } as const;

/** One scenario on one server. The servers were measured in turns, once in each round. */
export interface Measurement {
	what: string;
	who: string;
	rounds: Result[];
}

/** Latency at a constant rate: a share of the highest rate of the server or of the service, whichever is lower. */
export interface LatencyMeasurement {
	what: string;
	who: string;
	/** Absent if the rate is the same for all servers. */
	share?: number;
	rate: number;
	rounds: Latency[];
}

export interface StartMeasurement {
	who: string;
	rounds: { readyMs: number; readyCpuMs: number; rssMb: number }[];
}

export interface Results {
	/** The day, machine, versions and options of the run, in one line. */
	about: string;
	/** The parts that could not be measured on this machine. */
	absent: string[];
	/** The folders of other checkouts. */
	others: string[];
	measurements: Measurement[];
	latencies: LatencyMeasurement[];
	starts: StartMeasurement[];
	/** The service with stores of several sizes. */
	sizes: Measurement[];
}

export interface Figures {
	median: number;
	min: number;
	max: number;
}

export function figuresOf(values: number[]): Figures {
	const sorted = values.toSorted((a, b) => a - b);
	const middle = (sorted.length - 1) / 2;
	const [low = Number.NaN, high = Number.NaN] = [sorted[Math.floor(middle)], sorted[Math.ceil(middle)]];
	return { median: (low + high) / 2, min: sorted[0] ?? Number.NaN, max: sorted.at(-1) ?? Number.NaN };
}

export type Field = "cpuMicros" | "requestsPerSecond" | "totalMicros";

/** `cpuMicros` is the CPU time of the server. `totalMicros` also includes the CPU time of its database. */
export function valuesOf({ rounds }: Pick<Measurement, "rounds">, field: Field): number[] {
	return rounds.map((round) =>
		field === "totalMicros" ? round.cpuMicros + (round.databaseMicros ?? 0) : round[field],
	);
}

/** The ratios of two measurements, round by round, so that a slow phase of the whole machine cancels out. */
export function ratioOf(one: Measurement, other: Measurement, field: Field): Figures {
	const others = valuesOf(other, field);
	return figuresOf(valuesOf(one, field).map((value, round) => value / (others[round] ?? Number.NaN)));
}

/** The measurement of a scenario whose name starts with `what`. */
export function find(measurements: Measurement[], what: string, who: string): Measurement | undefined {
	return measurements.find((one) => one.what.startsWith(what) && one.who === who);
}

/** A difference counts if every round shows it, and the median of `one` is outside the range of `other`. */
export function verdictOf(one: Measurement, other: Measurement): "worse" | "better" | "same" {
	const ratio = ratioOf(one, other, "totalMicros");
	const [ours, theirs] = [one, other].map((of) => figuresOf(valuesOf(of, "totalMicros"))) as [Figures, Figures];
	if (ratio.min > 1 && ours.median > theirs.max) return "worse";
	return ratio.max < 1 && ours.median < theirs.min ? "better" : "same";
}
