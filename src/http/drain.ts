// Stops a server without dropping a request.

import type { Server } from "node:http";
import { Server as NetServer } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import type { Connection } from "./connections.ts";

/** How often it is seen whether connections are left. */
const pollMs = 10;
/** A turn of the event loop that is shorter has done nothing. */
const emptyTurnMs = 0.05;
/** How long such a turn is waited for. */
const backlogMaxMs = 1_000;

/** The open connections of each server. */
const open = new WeakMap<Server, Set<Connection>>();

/** Makes a server one that can be drained. */
export function followConnections(server: Server): void {
	const connections = new Set<Connection>();
	open.set(server, connections);
	server.on("connection", (socket: Connection) => {
		connections.add(socket);
		socket.once("close", () => connections.delete(socket));
	});
}

/**
 * Stops a server whose replies close their connections. For `idleMs` it takes requests as before: a connection that is
 * in use has its last reply by then. Then it stops listening, and closes what is idle a moment later. After `graceMs`
 * in all, the connections that remain are closed.
 */
export async function drain(server: Server, { idleMs, graceMs }: { idleMs: number; graceMs: number }): Promise<void> {
	const connections = open.get(server) ?? new Set();
	const closed = new Promise<void>((resolve) => server.once("close", resolve));
	const endsAtMs = performance.now() + graceMs;
	const idleAtMs = performance.now() + Math.min(idleMs, graceMs);
	while (performance.now() < idleAtMs && connections.size > 0) await sleep(pollMs);
	await stopListening(server);
	// In the turn's last phase: what had arrived by then was read, and makes its connection busy.
	const idle = setInterval(() => setImmediate(closeIdle, connections), idleMs / 4);
	const last = setTimeout(() => server.closeAllConnections(), Math.max(0, endsAtMs - performance.now()));
	await closed;
	clearInterval(idle);
	clearTimeout(last);
}

/** For Node, a connection is also idle while its client has not taken a reply, or its requests wait for their turn. */
function closeIdle(connections: Set<Connection>): void {
	for (const connection of connections) if (connection.intake?.isIdle) connection.destroy();
}

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
