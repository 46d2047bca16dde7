// Stops a server without dropping a request.

import type { Server } from "node:http";
import { Server as NetServer } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";

/** How often connections are counted. */
const pollMs = 10;
/** A turn of the event loop that is shorter has done nothing. */
const emptyTurnMs = 0.05;
/** How long such a turn is waited for. */
const backlogMaxMs = 1_000;

/**
 * Stops a server whose replies close their connections. For `idleMs` it takes requests as before: a connection that is
 * in use has its last reply by then. Then it stops listening, and closes what is idle a moment later. After `graceMs`
 * in all, the connections that remain are closed.
 */
export async function drain(server: Server, { idleMs, graceMs }: { idleMs: number; graceMs: number }): Promise<void> {
	const closed = new Promise<void>((resolve) => server.once("close", resolve));
	const endsAtMs = performance.now() + graceMs;
	const idleAtMs = performance.now() + Math.min(idleMs, graceMs);
	while (performance.now() < idleAtMs && (await countConnections(server)) > 0) await sleep(pollMs);
	await stopListening(server);
	// In the turn's last phase: what had arrived by then was read, and makes its connection busy.
	const idle = setInterval(() => setImmediate(() => server.closeIdleConnections()), idleMs / 4);
	const last = setTimeout(() => server.closeAllConnections(), Math.max(0, endsAtMs - performance.now()));
	await closed;
	clearInterval(idle);
	clearTimeout(last);
}

const countConnections = (server: Server) => promisify(server.getConnections.bind(server))();

/**
 * Takes all connections that the kernel has accepted for the server, because it resets them with the socket. No system
 * call takes the last one and closes the socket in one step: it is closed in the turn that finds no more of them.
 */
function stopListening(server: Server): Promise<void> {
	// http.Server's own close would drop idle connections at once, although a request may be about to arrive.
	const close = () => NetServer.prototype.close.call(server);
	// Compiles it: until it is run for the first time, that takes longer than a turn.
	new NetServer().close();
	const endsAtMs = performance.now() + backlogMaxMs;
	let turnAtMs = -Infinity;
	let hasTaken = false;
	const note = () => {
		hasTaken = true;
	};
	server.on("connection", note).on("drop", note);
	return new Promise((resolve) => {
		function look(): void {
			const nowMs = performance.now();
			const isEmpty = !hasTaken && nowMs - turnAtMs < emptyTurnMs;
			hasTaken = false;
			turnAtMs = nowMs;
			if (!isEmpty && nowMs < endsAtMs) return void setImmediate(look);
			close();
			server.off("connection", note).off("drop", note);
			resolve();
		}
		setImmediate(look);
	});
}
