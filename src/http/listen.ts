// The HTTP server of a port: its time-outs, its limits, the refusals of requests before they reach the app, and a stop
// that drops no request.

import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { type AddressInfo, Server as NetServer, type Socket } from "node:net";
import { setImmediate as nextTick, setTimeout as sleep } from "node:timers/promises";
import { ApiError } from "../contract/errors.ts";
import { headersMaxBytes } from "../contract/limits.ts";
import { Connection, type Connections, type HttpServer, unsentInAllMax } from "./connection.ts";
import type { Exchange, ReplyHead } from "./exchange.ts";
import { createServer } from "./node-http.ts";
import { createRefusals, type Refusals } from "./refusals.ts";
import type { ReplyWatch } from "./reply-watch.ts";
import { checkFraming } from "./request-headers.ts";
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
	server.maxHeadersCount = 0; // Node would silently ignore headers above its limit; checkFraming refuses them.
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

const pollMs = 10;

/**
 * Stops a server. First it stops listening, while clients still have connections that they need not replace. Half
 * of `graceMs` at least is left for the replies. Each connection gets a last one: one that is in use has it within
 * `idleMs`, and idle ones are closed after that. After `graceMs` in all, the connections that remain are closed.
 * @param phase `isClosing` becomes true with the closed port: replies have to close their connections then
 */
export async function drain(
	server: HttpServer,
	{ idleMs, graceMs, phase }: { idleMs: number; graceMs: number; phase?: { isClosing: boolean } },
): Promise<void> {
	const closed = once(server, "close");
	const endsAtMs = performance.now() + graceMs;
	await stopListening(server, endsAtMs - graceMs / 2);
	if (phase) phase.isClosing = true;
	const idleAtMs = Math.min(performance.now() + idleMs, endsAtMs);
	while (performance.now() < idleAtMs && server.open.size > 0) await sleep(pollMs);
	// In the last phase of a tick: all bytes that had arrived were read, and their connections are busy.
	const idle = setInterval(() => setImmediate(closeIdle, server), idleMs / 4);
	const last = setTimeout(() => server.closeAllConnections(), Math.max(0, endsAtMs - performance.now()));
	await closed;
	clearInterval(idle);
	clearTimeout(last);
}

/**
 * Closes the port after a tick of the event loop in which nobody connected, at the latest at `endsAtMs`: closing resets
 * the connections that the kernel has accepted for it.
 */
async function stopListening(server: HttpServer, endsAtMs: number): Promise<void> {
	let quietTicks = 0;
	const note = () => {
		quietTicks = 0;
	};
	server.on("connection", note).on("drop", note);
	// The first one may end before the kernel was asked for connections.
	for (; quietTicks < 2 && performance.now() < endsAtMs; quietTicks++) await nextTick();
	// The close of http.Server would also end idle connections, although a request may be about to arrive.
	NetServer.prototype.close.call(server);
}

/** Node counts connections as idle whose client has not taken a reply, and as busy those that never sent a byte. */
function closeIdle({ open }: HttpServer): void {
	for (const { socket, isIdle } of open.values()) if (isIdle) socket.destroy();
}
