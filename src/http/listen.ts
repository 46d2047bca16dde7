// The HTTP server of a port: sets limits, refuses invalid requests before they reach the app, and stops without
// dropping a request. It enforces rules of HTTP that Node's parser ignores: every ambiguous request is refused.

import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { type AddressInfo, Server as NetServer, type Socket } from "node:net";
import { setImmediate as nextTick, setTimeout as sleep } from "node:timers/promises";
import { ApiError } from "../contract/errors.ts";
import { headersMaxBytes, headersMaxCount, urlMaxLength } from "../contract/limits.ts";
import { Connection, type HttpServer } from "./connection.ts";
import { Exchange, failureHeaders, type Port } from "./exchange.ts";
import { hostOf, isHost } from "./proxies.ts";
import type { Traffic } from "./traffic.ts";

// Importing node:http would also load Node's fetch and WebSocket, which takes 50 ms of CPU time at each start.
const { createServer, METHODS, STATUS_CODES } = process.getBuiltinModule("node:http");

export const defaultTimeouts = {
	/** The longest time from the first byte of a request to the end of its headers. */
	headersMs: 10_000,
	/** The longest time from the first byte of a request to the end of its body. */
	requestMs: 30_000,
	/** How long a connection may be idle; longer than the 60 seconds of most load balancers. */
	keepAliveMs: 65_000,
	/** How long a connection with a request in progress may neither send nor receive. */
	stalledMs: 30_000,
};
export type Timeouts = typeof defaultTimeouts;

/** The most concurrent connections of a port. */
export const connectionsMost = 10_000;

export interface ServerOptions extends Port {
	timeouts: Timeouts;
	/** The most concurrent connections; further connections are closed immediately. */
	connectionsMax?: number;
	/** Counts and limits connections; only on the public port. */
	traffic?: Traffic;
}

export function createHttpServer(handler: (exchange: Exchange) => void, options: ServerOptions): HttpServer {
	const { timeouts, connectionsMax = connectionsMost, traffic } = options;
	const refuse = createRefusal(options);
	const plain = createServer({
		maxHeaderSize: headersMaxBytes,
		headersTimeout: timeouts.headersMs,
		requestTimeout: timeouts.requestMs,
		keepAliveTimeout: timeouts.keepAliveMs,
		connectionsCheckingInterval: Math.min(1000, timeouts.headersMs / 4),
		requireHostHeader: false,
		joinDuplicateHeaders: true, // Else Node ignores a second Host or Authorization; joined, both are invalid.
		noDelay: true,
		optimizeEmptyRequests: true,
	});
	const open = new Map<Socket, Connection>();
	// With `httpAllowHalfOpen`, a client that half-closes gets all replies. Node does not document it (decision 0020).
	const server = Object.assign(plain, { open, httpAllowHalfOpen: true });
	server.timeout = timeouts.stalledMs;
	server.maxConnections = connectionsMax;
	server.maxHeadersCount = 0; // Node would silently ignore headers above its limit; faultOf refuses them.
	traffic?.watch(server);
	server.on("connection", (socket) => new Connection(socket, open));
	for (const event of ["request", "checkContinue", "checkExpectation"]) server.on(event, answer);
	server.on("clientError", (error, socket) => refuse(open.get(socket as Socket), error));
	server.on("connect", ({ socket }) => {
		socket.on("error", () => {}); // Node has removed its own listeners; without one, a reset would end the process.
		socket.on("timeout", () => socket.destroy());
		refuse(open.get(socket), new ApiError("method_not_allowed"));
	});
	server.on("timeout", (socket) => {
		const connection = open.get(socket);
		const upload = connection?.arriving?.response;
		// A stalled upload gets an error reply if no earlier reply is due. Other stalled clients would not read a reply.
		if (upload?.socket && !upload.headersSent) refuse(connection, new ApiError("request_timeout"));
		else socket.destroy();
	});

	/** Handles or refuses a request. Ignores requests that arrive after the connection's last one. */
	function answer(request: IncomingMessage, response: ServerResponse): void {
		const connection = open.get(request.socket);
		if (!connection?.accepts()) return;
		const exchange = new Exchange(connection, response, options);
		connection.begin(exchange);
		const fault = faultOf(request);
		if (fault) exchange.refuse(fault);
		else handler(exchange);
	}
	return server;
}

interface ParserError extends NodeJS.ErrnoException {
	reason?: string;
	rawPacket?: Buffer;
	bytesParsed?: number;
}

export function createRefusal({ fields: common, watch }: Port) {
	/** Answers bytes that never became a request. */
	function refuseBytes(connection: Connection, failure: ApiError, isHead: boolean): void {
		if (!connection.socket.writable) return;
		const own = {
			...{ "x-request-id": watch.refuse(failure.code), ...failureHeaders(failure) },
			...{ "content-type": "application/json", "content-length": String(Buffer.byteLength(failure.json)) },
			...(failure.code === "method_not_allowed" && { allow: "GET, HEAD, POST, OPTIONS" }),
			...{ connection: "close", date: new Date().toUTCString() },
		};
		const fields = [...common, ...Object.entries(own).flat()];
		const lines = fields.map((text, index) => (index % 2 === 0 ? `${text}: ` : `${text}\r\n`));
		const start = `HTTP/1.1 ${failure.status} ${STATUS_CODES[failure.status]}\r\n${lines.join("")}\r\n`;
		connection.end(isHead ? start : start + failure.json);
	}

	/** Refuses an arriving request, or bytes that are no request, after all earlier replies. Closes the connection. */
	return (connection: Connection | undefined, error: ParserError | ApiError): void => {
		// After an error, the parser also reports all bytes that arrive later: they are ignored.
		if (!connection) return;
		if (connection.isEnding || error.code === "HPE_CLOSED_CONNECTION") return void connection.ignore();
		const { socket, latest, arriving } = connection;
		if (error.code === "ECONNRESET" || !socket.writable) return void socket.destroy();
		const [failure, isHead] = error instanceof ApiError ? [error, false] : [parserFailure(error), isHeadLast(error)];
		if (arriving && !arriving.response.headersSent) return void arriving.refuse(failure);
		connection.refuse();
		// A request that was answered before its body arrived gets no second reply.
		const end = arriving ? () => connection.end() : () => refuseBytes(connection, failure, isHead);
		if (latest?.response.writableFinished === false) latest.response.prependOnceListener("finish", end);
		else end();
	};
}

function parserFailure({ code, reason, rawPacket }: ParserError): ApiError {
	if (code === "ERR_HTTP_REQUEST_TIMEOUT") return new ApiError("request_timeout");
	if (code === "HPE_HEADER_OVERFLOW") {
		const isRequestLine = rawPacket !== undefined && /^[A-Z]+ /.test(rawPacket.toString("latin1", 0, 20));
		const lineLength = rawPacket?.indexOf("\n") ?? 0;
		const isUrlTooLong = isRequestLine && (lineLength < 0 || lineLength > urlMaxLength);
		return new ApiError(isUrlTooLong ? "uri_too_long" : "headers_too_large");
	}
	return new ApiError("malformed_request", `this is not valid HTTP/1.1: ${reason ?? "the request cannot be read"}`);
}

/** Whether the last request that the parser read is a HEAD request, whose reply has no body. */
function isHeadLast(error: ParserError): boolean {
	const read = error.rawPacket?.toString("latin1", 0, error.bytesParsed) ?? "";
	const end = read.lastIndexOf("\r\n\r\n");
	return read.startsWith("HEAD ", end < 0 ? 0 : end + 4);
}

/** The parser also accepts the methods of RTSP. */
const methods = new Set(METHODS);

/** The first rule of HTTP that a request breaks. After a fault, nothing more may be read from the connection. */
function faultOf({ rawHeaders, headers, httpVersion, method = "", url = "" }: IncomingMessage): ApiError | undefined {
	if ((httpVersion !== "1.1" && httpVersion !== "1.0") || !methods.has(method))
		return malformed("the request must use HTTP/1.1 or HTTP/1.0 and a method of HTTP");
	if (url.length > urlMaxLength) return new ApiError("uri_too_long");
	if (rawHeaders.length > 2 * headersMaxCount)
		return new ApiError("headers_too_large", `a request must have at most ${headersMaxCount} headers`);
	if (!isTarget(url, method)) return malformed("the request target must be a path or an http URL (RFC 9112 §3.2)");
	const { host, "transfer-encoding": coding, "content-type": type } = headers;
	if (coding !== undefined && (httpVersion === "1.0" || coding.toLowerCase() !== "chunked"))
		return malformed("the only Transfer-Encoding is chunked, given once and in HTTP/1.1");
	const isHostValid = host === undefined ? httpVersion === "1.0" : isHost(host);
	if (!isHostValid) return new ApiError("malformed_request");
	const isType = (text: string, index: number) => index % 2 === 0 && text.toLowerCase() === "content-type";
	if (type?.includes(",") && rawHeaders.filter(isType).length > 1)
		return malformed("the Content-Type header must be given once");
}

const malformed = (rule: string) => new ApiError("malformed_request", rule);

/** Whether the request target is a path, an http URL with a path, or `*` for OPTIONS. */
function isTarget(url: string, method: string): boolean {
	if (url.charCodeAt(0) === 0x2f) return true;
	if (url === "*") return method === "OPTIONS";
	const [, authority] = /^https?:\/\/([^/?#]+)\//i.exec(url) ?? [];
	return authority !== undefined && isHost(authority);
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
	const { address, port } = server.address() as AddressInfo;
	return `http://${hostOf(address, port)}`;
}

const pollMs = 10;

/**
 * Stops a server: closes the port, which takes at most half of `graceMs`, then each connection after its next reply.
 * `idleMs` later, idle connections are closed, too. When `graceMs` has passed, all connections are closed.
 * @param phase `isClosing` becomes true when the port is closed: from then on, replies must close their connections
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
	/** Node's `closeIdleConnections` would cut off replies that are not taken, and keep connections that sent no byte. */
	const closeIdle = () => {
		for (const { socket, isIdle } of server.open.values()) if (isIdle) socket.destroy();
	};
	// `setImmediate` runs after the reads of a tick, so connections whose bytes have just arrived do not count as idle.
	const idle = setInterval(() => setImmediate(closeIdle), idleMs / 4);
	const last = setTimeout(() => server.closeAllConnections(), Math.max(0, endsAtMs - performance.now()));
	await closed;
	clearInterval(idle);
	clearTimeout(last);
}

/**
 * Closes the port after a tick of the event loop without a new connection, or at `endsAtMs`. The wait is needed because
 * a close resets the connections that only the kernel has accepted so far.
 */
async function stopListening(server: HttpServer, endsAtMs: number): Promise<void> {
	let quietTicks = 0;
	const note = () => {
		quietTicks = 0;
	};
	server.on("connection", note).on("drop", note);
	// Waits for two ticks, because the first may end before Node asks the kernel for connections.
	for (; quietTicks < 2 && performance.now() < endsAtMs; quietTicks++) await nextTick();
	// http.Server's `close` would also end idle connections, although a request may be about to arrive.
	NetServer.prototype.close.call(server);
}
