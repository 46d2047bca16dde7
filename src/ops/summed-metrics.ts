// The metrics of a service with several processes. Counters, histograms and most gauges are added up; some gauges have
// a rule of their own.

import { expose, type Family, type Sample } from "./exposition.ts";

/** The samples of a process by the names of their families. */
export type Readings = Record<string, Sample[]>;

/** Gauges of which each process has the same, or of which the worst counts. */
export const gaugeRules: Record<string, "max" | "min"> = {
	animal_store_oldest_write_waiting_seconds: "max",
	animal_store_writable: "min",
	animal_store_animals: "max",
	animal_store_last_backup_timestamp_seconds: "max",
	animal_store_database_bytes: "max",
	animal_store_wal_bytes: "max",
	animal_store_disk_free_bytes: "max",
	animal_store_disk_size_bytes: "max",
	animal_store_replica_in_use: "min",
	animal_store_replica_lag_bytes: "max",
	animal_store_build_info: "max",
	nodejs_eventloop_delay_seconds: "max",
	process_start_time_seconds: "min",
	process_open_fds: "max",
	process_max_fds: "max",
};

const add = (a: number, b: number) => a + b;

export async function readAll(families: readonly Family[]): Promise<Readings> {
	const read = families.map(async ({ name, read }): Promise<[string, Sample[]]> => [name, [...(await read())]]);
	return Object.fromEntries(await Promise.all(read));
}

/** The body of `/metrics`. @param all the readings of all processes */
export function exposeSum(families: readonly Family[], all: readonly Readings[]): Promise<string> {
	return expose(families.map((family) => ({ ...family, read: () => sumOf(family, all) })));
}

/** The sum of all that only grows, so that it stays when a process has ended. */
export function sumCounters(families: readonly Family[], all: readonly Readings[]): Readings {
	const counters = families.filter(({ type }) => type !== "gauge");
	return Object.fromEntries(counters.map((family) => [family.name, sumOf(family, all)]));
}

function sumOf({ name }: Family, all: readonly Readings[]): Sample[] {
	const rule = gaugeRules[name];
	const combine = rule ? Math[rule] : add;
	const sums = new Map<string, Sample>();
	for (const sample of all.flatMap((readings) => readings[name] ?? [])) {
		const series = JSON.stringify([sample.suffix, sample.labels]);
		const sum = sums.get(series);
		sums.set(series, sum ? { ...sum, value: combine(sum.value, sample.value) } : sample);
	}
	return [...sums.values()];
}
