// Metrics of the process from the official client, under the names that dashboards for Node expect.

import type { Registry } from "@prometheus-io/client";
import { loadClient } from "./exposition.ts";

/** The longest delay of an interval, 24.8 days: the client measures use 10 times a second, and cannot turn that off. */
const neverMs = 2 ** 31 - 1;

/**
 * Left out: use of the event loop (measured by that interval), and active resources, which are counted one by one at
 * each scrape and whose totals have names that promtool refuses.
 */
const leftOut = /^nodejs_(active_|eventloop_utilization_)/;

let registry: Promise<Registry> | undefined;

/** The process's part of the body of `/metrics`. The event loop's delay is measured from the first call on. */
export async function exposeProcess(): Promise<string> {
	registry ??= createRegistry();
	return (await registry).metrics();
}

async function createRegistry(): Promise<Registry> {
	const { Registry, collectDefaultMetrics } = await loadClient();
	const created = new Registry();
	collectDefaultMetrics({ register: created, eventLoopUtilizationTimeout: neverMs });
	for (const { name } of created.getMetricsAsArray()) if (leftOut.test(name)) created.removeSingleMetric(name);
	return created;
}
