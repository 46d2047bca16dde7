// Stops a server without dropping a request.

import type { Server } from "node:http";
import { Server as NetServer } from "node:net";

/**
 * Stops listening and waits for all connections: current and still arriving requests are answered, idle connections
 * are closed after `idleMs`, and all remaining ones after `graceMs`.
 */
export async function drain(server: Server, { idleMs, graceMs }: { idleMs: number; graceMs: number }): Promise<void> {
	// http.Server's own close would drop idle connections at once, although a request may be about to arrive.
	const closed = new Promise<void>((resolve) => NetServer.prototype.close.call(server, () => resolve()));
	const idle = setInterval(() => server.closeIdleConnections(), idleMs);
	const last = setTimeout(() => server.closeAllConnections(), graceMs);
	await closed;
	clearInterval(idle);
	clearTimeout(last);
}
