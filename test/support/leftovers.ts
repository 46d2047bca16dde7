// Asserts that a stopped service leaves nothing behind, once its test has closed what it opened.

import assert from "node:assert/strict";
import { subscribe } from "node:diagnostics_channel";
import type { Socket } from "node:net";
import { mock } from "node:test";
import type { Service } from "../../src/service.ts";
import { until } from "./until.ts";

/** The server's side of all connections to servers of this process, by port. */
const accepted = new Map<number | undefined, Socket[]>();
subscribe("net.server.socket", (message) => {
	const { socket } = message as { socket: Socket };
	accepted.set(socket.localPort, [...(accepted.get(socket.localPort) ?? []), socket]);
});

// Most intervals keep no process alive, so Node does not list them.
const { mock: started } = mock.method(globalThis, "setInterval");
const { mock: ended } = mock.method(globalThis, "clearInterval");

/** Counts what can be left: timers, sockets, threads, and listeners of the process. */
export function countResources(): Record<string, number> {
	const cleared = new Set<unknown>(ended.calls.map(({ arguments: [timer] }) => timer));
	const counts: Record<string, number> = {
		intervals: started.calls.filter(({ result }) => !cleared.has(result)).length,
	};
	for (const name of process.getActiveResourcesInfo())
		if (/^(TCP|Timeout|MessagePort|Worker)/.test(name)) counts[name] = (counts[name] ?? 0) + 1;
	for (const name of process.eventNames()) counts[`on ${String(name)}`] = process.listenerCount(name);
	return counts;
}

/** The most listeners that an idle connection needs of one event. */
const listenersMax = 4;

/** @throws Error if a connection that waits for its next request has listeners of earlier ones */
export async function assertIdle({ url }: Service): Promise<void> {
	const isClean = (socket: Socket) =>
		socket.destroyed || socket.eventNames().every((name) => socket.listenerCount(name) <= listenersMax);
	await until("no listener of a request to be left", () => socketsOf(url).every(isClean), { withinMs: 10_000 });
}

/** @throws AssertionError if a request in flight, a connection, a counted address, a timer or a listener is left */
export async function assertNothingLeft(service: Service, before: Record<string, number>): Promise<void> {
	const sockets = [service.url, service.opsUrl].flatMap(socketsOf);
	const left = () => {
		const { requestsInFlight, connections } = service.traffic();
		const open = sockets.filter(({ destroyed }) => !destroyed).length;
		const now = { ...countResources(), requestsInFlight, connections, open };
		return Object.entries(now).filter(([name, count]) => count > (before[name] ?? 0));
	};
	await until("nothing to be left", () => left().length === 0, { withinMs: 10_000 }).catch(() => {
		assert.deepEqual(left(), []);
	});
}

function socketsOf(url: string): Socket[] {
	return accepted.get(Number(new URL(url).port)) ?? [];
}
