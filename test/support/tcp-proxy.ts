// TCP servers in front of others: proxies that can change, hold or drop the bytes, and a load balancer.

import { connect, createServer, type Socket } from "node:net";
import { listenFor } from "./listen.ts";
import type { CleanUps } from "./until.ts";

export interface Link {
	/** The socket to the client. */
	near: Socket;
	/** The number of the connection, from 0. */
	number: number;
	/** Breaks the connection on both sides. */
	end(): void;
}

/** Forwards connections to a server. @param pass forwards bytes to the other side @returns the proxy's port */
export function startProxy(
	context: CleanUps,
	{ port, hostname }: Pick<URL, "port" | "hostname">,
	pass: (bytes: Buffer, to: Socket, link: Link) => void,
): Promise<number> {
	let connections = 0;
	const server = createServer((near) => {
		const far = connect(Number(port), hostname);
		const end = () => {
			near.destroy();
			far.destroy();
		};
		const link = { near, number: connections++, end };
		const forward = (from: Socket, to: Socket) => {
			from.setNoDelay(true).on("data", (bytes) => pass(bytes, to, link));
			from.on("error", () => {}).on("close", end);
		};
		forward(near, far);
		forward(far, near);
	});
	return listenFor(context, server);
}

/** Forwards to a service, but ends the first `cuts` connections when the reply begins. @returns the proxy's URL */
export async function cutting(context: CleanUps, port: number, cuts: number): Promise<string> {
	const service = { port: String(port), hostname: "127.0.0.1" };
	const proxy = await startProxy(context, service, (bytes, to, { near, number }) => {
		if (to !== near || number >= cuts) to.write(bytes);
		else near.end();
	});
	return `http://127.0.0.1:${proxy}`;
}

/**
 * Starts a load balancer: it sends each new connection to the next port that accepts connections, and keeps it there.
 * @param ports called for each connection @returns the balancer's port
 */
export function startBalancer(context: CleanUps, ports: () => number[]): Promise<number> {
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
