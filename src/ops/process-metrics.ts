// The process: CPU, memory, event loop, files, build and log. The names are those that client libraries of Prometheus
// use, where they have one.

import { readdir, readFile } from "node:fs/promises";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { getHeapStatistics } from "node:v8";
import { counter, type Family, gauge, gaugeBy } from "./exposition.ts";

export interface ProcessSources {
	version: string;
	/** Milliseconds since 1970. */
	now: () => number;
	/** Log lines that nobody read in time. */
	droppedLogLines: () => number;
}

const resolutionMs = 10;

/** @returns the families, and what ends the measurement */
export function createProcessMetrics({ version, now, droppedLogLines }: ProcessSources) {
	const delay = monitorEventLoopDelay({ resolution: resolutionMs });
	delay.enable();
	const startedAtSeconds = now() / 1000 - process.uptime();
	const families: Family[] = [
		{
			name: "animal_store_build_info",
			help: "1; the labels are the version of the service and of Node.",
			type: "gauge",
			labels: ["version", "node_version"],
			read: () => [{ labels: { version, node_version: process.version }, value: 1 }],
		},
		counter("animal_store_log_lines_dropped_total", "Log lines that nobody read in time.", droppedLogLines),
		gaugeBy(
			"percentile",
			"nodejs_eventloop_delay_seconds",
			"How late the event loop was since the last scrape. percentile: 50, 99 or 100 (the longest).",
			() => {
				const seconds = (percent: number) => Math.max(0, delay.percentile(percent) / 1e9 - resolutionMs / 1000);
				const samples = [50, 99, 100].map((percent): [string, number] => [String(percent), seconds(percent)]);
				delay.reset();
				return samples;
			},
		),
		counter("nodejs_eventloop_busy_seconds_total", "Time that the event loop was not idle.", () => {
			return performance.eventLoopUtilization().active / 1000;
		}),
		gauge("process_start_time_seconds", "Start of the process, in seconds since 1970.", () => startedAtSeconds),
		...cpuAndMemory,
		gauge("process_open_fds", "Open file descriptors (Linux).", countDescriptors),
		gauge("process_max_fds", "Most file descriptors that the process may open (Linux).", readMaxDescriptors),
	];
	return { families, close: () => delay.disable() };
}

const cpuAndMemory: Family[] = [
	counter("process_cpu_seconds_total", "User and system CPU time, of all threads.", () => {
		const { user, system } = process.cpuUsage();
		return (user + system) / 1e6;
	}),
	gauge("process_resident_memory_bytes", "Memory of the process in RAM.", () => process.memoryUsage.rss()),
	gauge("nodejs_heap_used_bytes", "JavaScript heap in use.", () => getHeapStatistics().used_heap_size),
	gauge("nodejs_heap_size_limit_bytes", "Most that the JavaScript heap may use.", () => {
		return getHeapStatistics().heap_size_limit;
	}),
	gauge("nodejs_external_memory_bytes", "Memory of buffers outside of the JavaScript heap.", () => {
		return process.memoryUsage().external;
	}),
];

async function countDescriptors(): Promise<number | undefined> {
	const names = await readdir("/proc/self/fd").catch(() => undefined);
	return names && names.length - 1; // One is open for this list.
}

/** @returns how many files the process may open; undefined where only the system knows */
export async function readMaxDescriptors(): Promise<number | undefined> {
	const limits = await readFile("/proc/self/limits", "utf8").catch(() => "");
	const [, most] = /^Max open files +(\d+)/m.exec(limits) ?? [];
	return most === undefined ? undefined : Number(most);
}
