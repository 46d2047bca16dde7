// Sockets: time-outs, what Node's parser refuses, connections that are closed early, and the graceful stop.

import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from "node:http";
import { Server as NetServer, type Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { Logger } from "pino";
import { ApiError } from "../contract/errors.ts";
import { errorHeaders } from "./errors.ts";
import { headersMaxBytes, urlMaxLength } from "./framing.ts";
import { securityHeaders } from "./security-headers.ts";

export interface Timeouts {
	/** From the first byte of a request to the end of its headers. */
	headersMs: number;
	/** From the first byte of a request to the end of its body. */
	requestMs: number;
	/** An idle connection; longer than the 60 seconds that load balancers keep theirs. */
	keepAliveMs: number;
	/** A connection on which nothing moves in either direction while a request is under way: a reader that stopped reading. */
	stalledMs: number;
}

export const defaultTimeouts: Timeouts = {
	headersMs: 10_000,
	requestMs: 30_000,
	keepAliveMs: 65_000,
	stalledMs: 30_000,
};

/** Connections at once; more are closed as they come. */
export const connectionsMax = 10_000;

/** How long a connection whose request is not read to its end stays half open, so that the reply is not cut off. */
const lingerMs = 500;

/** A connection, with the request that it works on or worked on last. */
interface Connection extends Duplex {
	latest?: { request: IncomingMessage; response: ServerResponse };
	/** Requests that were sent before the reply to the one before them, and are not answered yet. */
	pipelined?: number;
	isRefused?: boolean;
}

/** Requests that may wait on one connection. A client that sends on and reads nothing would keep all others waiting. */
export const pipelinedMax = 64;

export function createHttpServer(handler: RequestListener, log: Logger, timeouts: Timeouts): Server {
	const server = createServer({
		maxHeaderSize: headersMaxBytes,
		headersTimeout: timeouts.headersMs,
		requestTimeout: timeouts.requestMs,
		keepAliveTimeout: timeouts.keepAliveMs,
		connectionsCheckingInterval: Math.min(1000, timeouts.headersMs / 4),
		requireHostHeader: false,
		noDelay: true,
	});
	server.timeout = timeouts.stalledMs;
	server.maxConnections = connectionsMax;
	server.maxHeadersCount = 0; // Node would drop the headers beyond its count in silence; framing.ts refuses them.
	const listener: RequestListener = (request, response) => {
		const connection: Connection = request.socket;
		const isPipelined = connection.latest?.response.writableFinished === false;
		connection.latest = { request, response };
		if (!isPipelined || takesPipelined(connection, response)) handler(request, response);
	};
	server.on("connection", (socket) => {
		socket.destroySoon = closeGently;
	});
	server.on("request", listener);
	server.on("checkContinue", listener);
	server.on("checkExpectation", listener);
	server.on("connect", (_request, socket) =>
		refuse(socket, new ApiError("method_not_allowed", "this is no proxy"), log),
	);
	return server;
}

/** Whether a pipelined request is one too many: then it is told so, those behind it are not heard, and the connection ends. */
function takesPipelined(connection: Connection, response: ServerResponse): boolean {
	if (connection.isRefused) return false;
	connection.pipelined = (connection.pipelined ?? 0) + 1;
	response.once("close", () => {
		connection.pipelined = (connection.pipelined ?? 1) - 1;
	});
	if (connection.pipelined <= pipelinedMax) return true;
	connection.isRefused = true;
	const failure = new ApiError(
		"overloaded",
		`at most ${pipelinedMax} requests may wait on one connection: read replies first`,
		1,
	);
	response.writeHead(failure.status, rawHeaders(failure)).end(JSON.stringify(failure));
	return false;
}

/**
 * Instead of Node's `destroySoon`: the connection is closed for writing only, and for good a moment later. Closing it
 * with unread bytes would reset it, and the reply could be lost on its way.
 */
function closeGently(this: Socket & Connection): void {
	this.end();
	const isReadToEnd = this.latest?.request.complete ?? true;
	if (isReadToEnd) return void this.once("finish", () => this.destroy());
	this.pause();
	setTimeout(() => this.destroy(), lingerMs).unref();
}

interface ParserError extends NodeJS.ErrnoException {
	reason?: string;
	rawPacket?: Buffer;
}

/** Answers what the parser refused, after the replies to earlier requests of the connection. */
export function refuseInTurn(socket: Connection, error: ParserError, log: Logger): void {
	const current = socket.latest;
	const isReplying = current?.response.headersSent && !current.response.writableFinished;
	const isNextRequest = current?.request.complete && !current.response.writableFinished;
	if (error.code === "ECONNRESET" || !socket.writable || (isReplying && !isNextRequest)) socket.destroy();
	else if (isNextRequest) current.response.once("close", () => refuse(socket, parserFailure(error), log));
	else refuse(socket, parserFailure(error), log);
}

function refuse(socket: Duplex, failure: ApiError, log: Logger): void {
	if (!socket.writable) return;
	const body = JSON.stringify(failure);
	const headers = { ...rawHeaders(failure), date: new Date().toUTCString() };
	const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
	socket.end(`HTTP/1.1 ${failure.status} ${failure.code}\r\n${lines.join("")}\r\n${body}`);
	setTimeout(() => socket.destroy(), lingerMs).unref();
	log.info({ operation: "none", status: failure.status, code: failure.code }, "request refused by the parser");
}

/** The headers of a failure that does not pass through the app; the connection ends with it. */
function rawHeaders(failure: ApiError): Record<string, string> {
	return {
		...securityHeaders(undefined),
		...errorHeaders(failure, false),
		...(failure.status === 405 && { allow: "GET, HEAD, POST, OPTIONS" }),
		"content-type": "application/json",
		"content-length": String(Buffer.byteLength(JSON.stringify(failure))),
		connection: "close",
	};
}

function parserFailure({ code, reason, rawPacket }: ParserError): ApiError {
	if (code === "ERR_HTTP_REQUEST_TIMEOUT") {
		return new ApiError("request_timeout", "the request did not arrive in time: send it without pauses");
	}
	if (code === "HPE_HEADER_OVERFLOW") {
		const isRequestLine = rawPacket !== undefined && /^[A-Z]+ /.test(rawPacket.toString("latin1", 0, 20));
		const lineLength = rawPacket?.indexOf("\n") ?? 0;
		return isRequestLine && (lineLength < 0 || lineLength > urlMaxLength)
			? new ApiError("uri_too_long", `the URL must be at most ${urlMaxLength} characters`)
			: new ApiError("headers_too_large", `the headers must be at most ${headersMaxBytes} bytes`);
	}
	return new ApiError("malformed_request", `this is not valid HTTP/1.1: ${reason ?? "the request cannot be read"}`);
}

/**
 * Stops listening, then lets every connection finish: requests that are under way or still arrive get their replies, idle
 * connections are closed after `idleMs`, all that is left after `graceMs`.
 */
export async function drain(server: Server, { idleMs, graceMs }: { idleMs: number; graceMs: number }): Promise<void> {
	// http.Server's own close would cut idle connections at once, on which a request may be on its way.
	const closed = new Promise<void>((resolve) => NetServer.prototype.close.call(server, () => resolve()));
	const idle = setInterval(() => server.closeIdleConnections(), idleMs);
	const last = setTimeout(() => server.closeAllConnections(), graceMs);
	await closed;
	clearInterval(idle);
	clearTimeout(last);
}
