// Stops a server without dropping a request.

import { once } from "node:events";
import { Server as NetServer } from "node:net";
import { setImmediate as nextTick, setTimeout as sleep } from "node:timers/promises";
import type { HttpServer } from "./connection.ts";

const pollMs = 10;

interface Drain {
	idleMs: number;
	graceMs: number;
	/** `isClosing` becomes true with the closed port: replies have to close their connections then. */
	phase?: { isClosing: boolean };
}

/**
 * Stops a server. First it stops listening, while clients still have connections that they need not replace. Half
 * of `graceMs` at least is left for the replies. Each connection gets a last one: one that is in use has it within
 * `idleMs`, and idle ones are closed after that. After `graceMs` in all, the connections that remain are closed.
 */
export async function drain(server: HttpServer, { idleMs, graceMs, phase }: Drain): Promise<void> {
	const closed = once(server, "close");
	const endsAtMs = performance.now() + graceMs;
	await stopListening(server, endsAtMs - graceMs / 2);
	if (phase) phase.isClosing = true;
	const idleAtMs = Math.min(performance.now() + idleMs, endsAtMs);
	while (performance.now() < idleAtMs && server.open.size > 0) await sleep(pollMs);
	// In the last phase of a tick: all bytes that had arrived were read, and their connections are busy.
	const idle = setInterval(() => setImmediate(closeIdle, server), idleMs / 4);
	const last = setTimeout(() => server.closeAllConnections(), Math.max(0, endsAtMs - performance.now()));
	await closed;
	clearInterval(idle);
	clearTimeout(last);
}

/**
 * Closes the port after a tick of the event loop in which nobody connected, at the latest at `endsAtMs`: closing resets
 * the connections that the kernel has accepted for it.
 */
async function stopListening(server: HttpServer, endsAtMs: number): Promise<void> {
	let quietTicks = 0;
	const note = () => {
		quietTicks = 0;
	};
	server.on("connection", note).on("drop", note);
	// The first one may end before the kernel was asked for connections.
	for (; quietTicks < 2 && performance.now() < endsAtMs; quietTicks++) await nextTick();
	// The close of http.Server would also end idle connections, although a request may be about to arrive.
	NetServer.prototype.close.call(server);
	server.off("connection", note).off("drop", note);
}

/** Node counts connections as idle whose client has not taken a reply, and as busy those that never sent a byte. */
function closeIdle({ open }: HttpServer): void {
	for (const { socket, isIdle } of open.values()) if (isIdle) socket.destroy();
}
