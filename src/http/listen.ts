// The HTTP server of a port: its time-outs, its limits, and the refusals of requests before they reach the app.

import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo, Server as NetServer, Socket } from "node:net";
import { ApiError } from "../contract/errors.ts";
import { headersMaxBytes } from "../contract/limits.ts";
import { Connection, type Connections, type HttpServer, unsentInAllMax } from "./connection.ts";
import type { Exchange, ReplyHead } from "./exchange.ts";
import { checkFraming } from "./framing.ts";
import { createServer } from "./node-http.ts";
import { createRefusals, type Refusals } from "./refusals.ts";
import type { ReplyWatch } from "./reply-watch.ts";
import type { Traffic } from "./traffic.ts";

export const defaultTimeouts = {
	/** From the first byte of a request to the end of its headers. */
	headersMs: 10_000,
	/** From the first byte of a request to the end of its body. */
	requestMs: 30_000,
	/** For an idle connection; longer than the 60 seconds of most load balancers. */
	keepAliveMs: 65_000,
	/** For a connection with a request in progress that neither sends nor receives. */
	stalledMs: 30_000,
};
export type Timeouts = typeof defaultTimeouts;

/** The most connections of a port at once. */
export const connectionsMost = 10_000;

export interface ServerOptions {
	timeouts: Timeouts;
	/** Concurrent connections; further ones are closed at once. */
	connectionsMax?: number;
	replyHead: ReplyHead;
	/** Only the public port has one. */
	traffic?: Traffic;
	replyWatch: ReplyWatch;
	/** Bytes of replies that clients have not read, above which only clients that have read theirs are answered. */
	unsentMax?: number | undefined;
}

export function createHttpServer(handler: (exchange: Exchange) => void, options: ServerOptions): HttpServer {
	const { timeouts, connectionsMax = connectionsMost, traffic, replyHead, replyWatch } = options;
	const refusals = createRefusals(replyHead, replyWatch);
	const settings = {
		maxHeaderSize: headersMaxBytes,
		headersTimeout: timeouts.headersMs,
		requestTimeout: timeouts.requestMs,
		keepAliveTimeout: timeouts.keepAliveMs,
		connectionsCheckingInterval: Math.min(1000, timeouts.headersMs / 4),
		requireHostHeader: false,
		noDelay: true,
		optimizeEmptyRequests: true,
	};
	const open = new Map<Socket, Connection<Exchange>>();
	const { unsentMax = unsentInAllMax } = options;
	const connections: Connections<Exchange> = { open, unsent: 0, unsentMax, onEnd: replyWatch.end };
	// A client that ends its side after its last request gets all replies. Node does not document this switch (0020).
	const server = Object.assign(createServer(settings), { open, httpAllowHalfOpen: true });
	server.timeout = timeouts.stalledMs;
	server.maxConnections = connectionsMax;
	server.maxHeadersCount = 0; // Node would silently ignore headers above its limit; framing.ts refuses them.
	traffic?.watch(server);
	server.on("connection", (socket) => new Connection(socket, connections));
	for (const event of ["request", "checkContinue", "checkExpectation"]) server.on(event, answer);
	server.on("connect", ({ socket }) => refuseTunnel(socket, open.get(socket), refusals));
	server.on("timeout", (socket) => endStalled(socket, open.get(socket), refusals));
	server.on("clientError", (error, socket) => refusals.refuseInTurn(open.get(socket as Socket), error));

	/** After the last request, the rest of the connection is ignored. */
	function answer(request: IncomingMessage, response: ServerResponse): void {
		const connection = open.get(request.socket);
		if (!connection?.accepts()) return;
		const exchange = replyWatch.begin(connection, response, replyHead);
		connection.begin(exchange);
		try {
			checkFraming(request);
		} catch (error) {
			if (!(error instanceof ApiError)) throw error;
			return void refusals.refuse(exchange, error);
		}
		handler(exchange);
	}
	return server;
}

/** Refuses CONNECT, for which Node has taken its own listeners off the socket. */
function refuseTunnel(socket: Socket, connection: Connection<Exchange> | undefined, refusals: Refusals): void {
	socket.on("error", () => {}); // A reset ends only this connection.
	socket.on("timeout", () => socket.destroy());
	refusals.refuseInTurn(connection, new ApiError("method_not_allowed"));
}

/** A stalled upload gets an error reply if no other reply is before it. Others would not see one. */
function endStalled(socket: Socket, connection: Connection<Exchange> | undefined, refusals: Refusals): void {
	const upload = connection?.arriving?.response;
	if (upload?.socket && !upload.headersSent) refusals.refuseInTurn(connection, new ApiError("request_timeout"));
	else socket.destroy();
}

/** @throws Node's error when it cannot listen */
export function listen(server: NetServer, at: Parameters<NetServer["listen"]>[0]): Promise<void> {
	return new Promise((resolve, reject) => {
		server.once("error", reject);
		server.listen(at, resolve);
	});
}

/** Such as `http://127.0.0.1:8080`. */
export function urlOf(server: Pick<NetServer, "address">): string {
	const { address, family, port } = server.address() as AddressInfo;
	return `http://${family === "IPv6" ? `[${address}]` : address}:${port}`;
}
