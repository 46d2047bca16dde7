// The stop of a server without dropping a request.

import type { Server } from "node:http";
import { Server as NetServer } from "node:net";

/**
 * Stops listening, then lets every connection finish: requests that are under way or still arrive get their replies,
 * idle connections are closed after `idleMs`, all that is left after `graceMs`.
 */
export async function drain(server: Server, { idleMs, graceMs }: { idleMs: number; graceMs: number }): Promise<void> {
	// http.Server's own close would cut idle connections at once, on which a request may be on its way.
	const closed = new Promise<void>((resolve) => NetServer.prototype.close.call(server, () => resolve()));
	const idle = setInterval(() => server.closeIdleConnections(), idleMs);
	const last = setTimeout(() => server.closeAllConnections(), graceMs);
	await closed;
	clearInterval(idle);
	clearTimeout(last);
}
