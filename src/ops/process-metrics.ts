// Metrics of the process: CPU, memory, event loop, files, build and log. `process_*` are Prometheus's own names.

import { readdir, readFile } from "node:fs/promises";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { getHeapStatistics } from "node:v8";
import { samplesBy } from "./exposition.ts";

export interface ProcessSources {
	version: string;
	/** Milliseconds since 1970. */
	now: () => number;
	/** Log lines that were dropped because the log was not read in time. */
	droppedLogLines: () => number;
}

const resolutionMs = 10;

export function createProcessMetrics({ version, now, droppedLogLines }: ProcessSources) {
	const delay = monitorEventLoopDelay({ resolution: resolutionMs });
	delay.enable();
	const startedAtSeconds = now() / 1000 - process.uptime();

	/** How late the event loop was since the last call. */
	function readDelays(): [percentile: string, seconds: number][] {
		const seconds = (percent: number) => Math.max(0, delay.percentile(percent) / 1e9 - resolutionMs / 1000);
		const delays = [50, 99, 100].map((percent): [string, number] => [String(percent), seconds(percent)]);
		delay.reset();
		return delays;
	}

	return {
		async read() {
			const { user, system } = process.cpuUsage();
			const { rss, external } = process.memoryUsage();
			const { used_heap_size, heap_size_limit } = getHeapStatistics();
			return {
				animal_store_build_info: [{ labels: { version, node_version: process.version }, value: 1 }],
				animal_store_log_lines_dropped_total: droppedLogLines(),
				animal_store_event_loop_delay_seconds: samplesBy("percentile", readDelays()),
				animal_store_event_loop_busy_seconds_total: performance.eventLoopUtilization().active / 1000,
				process_start_time_seconds: startedAtSeconds,
				process_cpu_seconds_total: (user + system) / 1e6,
				process_resident_memory_bytes: rss,
				animal_store_heap_used_bytes: used_heap_size,
				animal_store_heap_size_limit_bytes: heap_size_limit,
				animal_store_external_memory_bytes: external,
				process_open_fds: await countDescriptors(),
				process_max_fds: await readMaxDescriptors(),
			};
		},
		close: () => void delay.disable(),
	};
}

async function countDescriptors(): Promise<number | undefined> {
	const names = await readdir("/proc/self/fd").catch(() => undefined);
	return names && names.length - 1; // One descriptor is open for this listing.
}

/** @returns how many files the process may open; undefined on systems without /proc */
export async function readMaxDescriptors(): Promise<number | undefined> {
	const limits = await readFile("/proc/self/limits", "utf8").catch(() => "");
	const [, most] = /^Max open files +(\d+)/m.exec(limits) ?? [];
	return most === undefined ? undefined : Number(most);
}
