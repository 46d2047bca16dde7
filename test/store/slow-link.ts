// A slow network between a store and its database: a proxy that delays each packet, and can cut its connections.

import { connect, createServer, type Socket } from "node:net";
import { listenFor } from "../support/listen.ts";

interface SlowLink {
	/** The URL with the proxy's address. */
	url: string;
	/** Breaks all connections that are open now. */
	cut(): void;
}

export async function slowLink(
	context: { after(cleanUp: () => void): void },
	url: string,
	roundTripMs: number,
): Promise<SlowLink> {
	const target = new URL(url);
	const sockets = new Set<Socket>();
	const server = createServer((near) => {
		const far = connect(Number(target.port), target.hostname);
		for (const [from, to] of [
			[near, far],
			[far, near],
		] as const) {
			const later = delay(roundTripMs / 2);
			sockets.add(from.setNoDelay(true));
			from.on("data", (bytes) => later(() => to.write(bytes)));
			from.on("close", () => {
				sockets.delete(from);
				later(() => to.destroy());
			});
			from.on("error", () => {});
		}
	});
	const port = String(await listenFor(context, server));
	const cut = () => {
		for (const socket of sockets) socket.destroy();
		sockets.clear();
	};
	context.after(cut);
	return { url: Object.assign(new URL(url), { port }).href, cut };
}

/** Delays actions, in order. Node's timers have whole milliseconds; the rest is a busy wait. */
function delay(ms: number): (action: () => void) => void {
	const waiting: { dueMs: number; action: () => void }[] = [];
	function run(): void {
		while (waiting[0] && waiting[0].dueMs <= performance.now()) waiting.shift()?.action();
		if (waiting[0]) wakeAt(waiting[0].dueMs);
	}
	function wakeAt(dueMs: number): void {
		const leftMs = dueMs - performance.now();
		if (leftMs >= 1) setTimeout(run, leftMs);
		else setImmediate(run);
	}
	return (action) => {
		if (ms === 0) return action();
		waiting.push({ dueMs: performance.now() + ms, action });
		if (waiting.length === 1) wakeAt(waiting[0]?.dueMs ?? 0);
	};
}
