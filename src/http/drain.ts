// Stops a server without dropping a request.

import { once } from "node:events";
import { Server as NetServer } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import type { HttpServer } from "./intake.ts";

const pollMs = 10;
/** A shorter turn of the event loop has handled nothing, and hardly anybody connects in so short a time. */
const emptyTurnMs = 0.012;
/** On a busy machine no turn is so short: after each such time, one that is twice as long counts as empty, too. */
const doublingMs = 100;

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
	const closed = new Promise<void>((resolve) => server.once("close", resolve));
	const endsAtMs = performance.now() + graceMs;
	await rehearse();
	await stopListening(server, endsAtMs - graceMs / 2);
	if (phase) phase.isClosing = true;
	const idleAtMs = Math.min(performance.now() + idleMs, endsAtMs);
	while (performance.now() < idleAtMs && server.open.size > 0) await sleep(pollMs);
	// In the last phase of a turn: all bytes that had arrived were read, and their connections are busy.
	const idle = setInterval(() => setImmediate(closeIdle, server), idleMs / 4);
	const last = setTimeout(() => server.closeAllConnections(), Math.max(0, endsAtMs - performance.now()));
	await closed;
	clearInterval(idle);
	clearTimeout(last);
}

/** Node also counts connections as idle whose client has not read a reply, or whose requests wait for their turn. */
function closeIdle({ open }: HttpServer): void {
	for (const connection of open) if (connection.intake?.isIdle) connection.destroy();
}

/**
 * Takes all connections that the kernel has accepted for the server, because closing the socket resets them. No system
 * call takes the last one and closes the socket in one step: it is closed in the first turn without a new connection,
 * and at the latest at `endsAtMs`.
 */
function stopListening(server: NetServer, endsAtMs: number): Promise<void> {
	const startedAtMs = performance.now();
	let turnAtMs = -Infinity;
	let hasTaken = false;
	const note = () => {
		hasTaken = true;
	};
	server.on("connection", note).on("drop", note);
	return new Promise((resolve) => {
		function checkTurn(): void {
			const nowMs = performance.now();
			const limitMs = emptyTurnMs * 2 ** ((nowMs - startedAtMs) / doublingMs);
			const isEmpty = !hasTaken && nowMs - turnAtMs < limitMs;
			hasTaken = false;
			turnAtMs = nowMs;
			if (!isEmpty && nowMs < endsAtMs) return void setImmediate(checkTurn);
			// The close of http.Server would also end idle connections, although a request may be about to arrive.
			NetServer.prototype.close.call(server);
			server.off("connection", note).off("drop", note);
			resolve();
		}
		setImmediate(checkTurn);
	});
}

/** Closes another port first: what has never run takes ten times as long, and meanwhile somebody may connect. */
async function rehearse(): Promise<void> {
	const other = new NetServer().listen(0, "127.0.0.1");
	const isListening = await once(other, "listening").catch(() => false);
	if (isListening) await stopListening(other, performance.now() + doublingMs);
}
