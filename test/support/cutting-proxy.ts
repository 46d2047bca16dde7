// A proxy that loses replies: it cuts connections when their first reply arrives.

import { createServer } from "node:http";
import { connect } from "node:net";
import type { TestContext } from "node:test";
import { listenFor } from "./listen.ts";

/** Forwards to the service, but cuts the first `cuts` connections after `passed` bytes of their reply. @returns its URL */
export async function cutting(context: TestContext, port: number, cuts: number, passed = 0): Promise<string> {
	let connections = 0;
	const proxy = createServer().on("connection", (client) => {
		const isCut = connections++ < cuts;
		const server = connect(port, "127.0.0.1");
		client.on("error", () => {}).pipe(server);
		server.on("error", () => {}).once("data", (reply) => isCut && client.end(reply.subarray(0, passed)));
		if (!isCut) server.pipe(client);
		client.on("close", () => server.destroy());
	});
	return `http://127.0.0.1:${await listenFor(context, proxy.removeAllListeners("request"))}`;
}
