// A TCP load balancer: it sends each new connection to the next port that accepts connections, and keeps it there.

import { connect, createServer } from "node:net";
import { listenFor } from "./listen.ts";

/** @param ports called for each connection @returns the balancer's port */
export async function startBalancer(
	context: { after(cleanUp: () => void): void },
	ports: () => number[],
): Promise<number> {
	let turn = 0;
	const server = createServer((client) => {
		const candidates = ports();
		const tryNode = (left: number): void => {
			const node = connect(candidates[turn++ % candidates.length] ?? 0, "127.0.0.1");
			node.once("error", () => (left > 0 ? tryNode(left - 1) : client.destroy()));
			node.once("connect", () => {
				node.removeAllListeners("error").on("error", () => client.destroy());
				client.pipe(node).pipe(client);
				client.on("close", () => node.destroy());
			});
		};
		client.on("error", () => {});
		tryNode(candidates.length);
	});
	return listenFor(context, server);
}
