// A slow network: a TCP proxy that hands on every byte, each way, half of a round trip later.

import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

export interface SlowLink {
	/** The same URL, with the proxy's address. */
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
			sockets.add(from.setNoDelay(true));
			from.on("data", (bytes) => setTimeout(() => to.write(bytes), roundTripMs / 2));
			from.on("close", () => setTimeout(() => to.destroy(), roundTripMs / 2));
			from.on("error", () => {});
		}
	});
	server.listen(0, "127.0.0.1");
	await once(server, "listening");
	const cut = () => {
		for (const socket of sockets) socket.destroy();
		sockets.clear();
	};
	context.after(() => {
		server.close();
		cut();
	});
	const port = String((server.address() as AddressInfo).port);
	return { url: Object.assign(new URL(url), { port }).href, cut };
}
