// Proxies between a client and a server that can change, hold or drop the bytes.

import { connect, createServer, type Socket } from "node:net";
import type { TestContext } from "node:test";
import { listenFor } from "./listen.ts";

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
	context: { after(cleanUp: () => void): void },
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
		for (const [from, to] of [
			[near, far],
			[far, near],
		] as const)
			from
				.setNoDelay(true)
				.on("data", (bytes) => pass(bytes, to, link))
				.on("error", () => {})
				.on("close", end);
	});
	return listenFor(context, server);
}

/** Forwards to a service, but ends the first `cuts` connections when the reply begins. @returns the proxy's URL */
export async function cutting(context: TestContext, port: number, cuts: number): Promise<string> {
	const service = { port: String(port), hostname: "127.0.0.1" };
	const proxy = await startProxy(context, service, (bytes, to, { near, number }) => {
		if (to !== near || number >= cuts) to.write(bytes);
		else near.end();
	});
	return `http://127.0.0.1:${proxy}`;
}
