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
	const later = (action: () => void) => (roundTripMs === 0 ? action() : setTimeout(action, roundTripMs / 2));
	const server = createServer((near) => {
		const far = connect(Number(target.port), target.hostname);
		for (const [from, to] of [
			[near, far],
			[far, near],
		] as const) {
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
