// Starts a server on a free port, and checks whether a server replies.

import { once } from "node:events";
import type { Server as HttpServer } from "node:http";
import type { AddressInfo, Server } from "node:net";
import { type Ask, ask } from "./caller.ts";
import type { CleanUps } from "./until.ts";

/** Listens on a free port, and closes the server with its connections at the end of the test. @returns the port */
export async function listenFor(context: CleanUps, server: Server | HttpServer): Promise<number> {
	context.after(() => {
		if ("closeAllConnections" in server) server.closeAllConnections();
		server.close();
	});
	await once(server.listen(0, "127.0.0.1"), "listening");
	return (server.address() as AddressInfo).port;
}

/** Whether the server at a URL replies with a status of success. */
export const isServing = (url: string, request: Ask = {}) =>
	ask(url, request).then(
		({ status }) => status < 300,
		() => false,
	);
