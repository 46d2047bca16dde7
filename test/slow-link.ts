// A slow network: a TCP proxy that hands on every byte, each way, half of a round trip later.

import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** @returns the same URL, with the proxy's address */
export async function slowLink(
	context: { after(cleanUp: () => void): void },
	url: string,
	roundTripMs: number,
): Promise<string> {
	const { hostname, port } = new URL(url);
	const sockets = new Set<Socket>();
	const server = createServer((near) => {
		const far = connect(Number(port), hostname);
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
	context.after(() => {
		server.close();
		for (const socket of sockets) socket.destroy();
	});
	return Object.assign(new URL(url), { port: String((server.address() as AddressInfo).port) }).href;
}
