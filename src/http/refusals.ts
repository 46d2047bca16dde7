// Error replies outside the app: for requests that the parser or framing.ts refuses, and for requests that time out.
// They have the same format as all errors, and the connection is closed after them.

import type { IncomingMessage, ServerResponse } from "node:http";
import { ApiError } from "../contract/errors.ts";
import { urlMaxLength } from "../contract/limits.ts";
import { type Connection, lingerMs } from "./connections.ts";
import type { Cors } from "./cors.ts";
import { errorHeaders } from "./errors.ts";
import { STATUS_CODES } from "./node-http.ts";
import { noteFailure, type ReplyWatch, type ReplyWatchOptions } from "./reply-watch.ts";

export interface RefusalOptions {
	requestId: ReplyWatchOptions["requestId"];
	/** Sent with every reply. */
	fixedHeaders: Record<string, string>;
	replyWatch: ReplyWatch;
	cors: Cors;
}

export interface Refusals {
	/** Answers a request and keeps the connection open. */
	answer(request: IncomingMessage, response: ServerResponse, failure: ApiError): void;
	/** Answers a request, ignores later ones, and closes the connection. */
	refuse(request: IncomingMessage, response: ServerResponse, failure: ApiError): void;
	/**
	 * Answers a request that is not arriving as it should, or bytes that are none, after the replies to earlier requests,
	 * and closes the connection.
	 */
	refuseInTurn(connection: Connection, error: ParserError | ApiError): void;
}

export interface ParserError extends NodeJS.ErrnoException {
	reason?: string;
	rawPacket?: Buffer;
	bytesParsed?: number;
}

export function createRefusals({ requestId, fixedHeaders, replyWatch, cors }: RefusalOptions): Refusals {
	function headersOf(failure: ApiError, id: string): Record<string, string> {
		return {
			...fixedHeaders,
			...errorHeaders(failure),
			"x-request-id": id,
			"content-type": "application/json",
			"content-length": String(Buffer.byteLength(failure.json)),
		};
	}

	function answer(request: IncomingMessage, response: ServerResponse, failure: ApiError): void {
		const headers = { ...headersOf(failure, requestId(request)), ...(request.exchange && cors.headersOf(request)) };
		response.writeHead(failure.status, headers).end(failure.json);
	}

	function refuse(request: IncomingMessage, response: ServerResponse, failure: ApiError): void {
		(request.socket as Connection).isRefused = true;
		noteFailure(request, failure.code);
		answer(request, response.setHeader("connection", "close"), failure);
	}

	/** Answers bytes that never became a request. */
	function refuseBytes(connection: Connection, failure: ApiError, isHead: boolean): void {
		if (!connection.writable) return;
		const id = requestId({ headers: {} });
		replyWatch.refuse(failure.code, id);
		const allow = failure.code === "method_not_allowed" && { allow: "GET, HEAD, POST, OPTIONS" };
		const headers = { ...headersOf(failure, id), ...allow, connection: "close", date: new Date().toUTCString() };
		const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
		const head = `HTTP/1.1 ${failure.status} ${STATUS_CODES[failure.status]}\r\n${lines.join("")}\r\n`;
		connection.end(isHead ? head : head + failure.json);
		setTimeout(() => connection.destroy(), lingerMs).unref();
	}

	function refuseInTurn(connection: Connection, error: ParserError | ApiError): void {
		// The parser reports each further piece of the connection, too.
		if (connection.isRefused || connection.last?.complete || error.code === "HPE_CLOSED_CONNECTION") return;
		if (error.code === "ECONNRESET" || !connection.writable) return void connection.destroy();
		const [failure, isHead] = error instanceof ApiError ? [error, false] : [parserFailure(error), isHeadLast(error)];
		const { request, response } = connection.latest ?? {};
		const isArriving = request?.complete === false;
		if (isArriving && response?.headersSent === false) return void refuse(request, response, failure);
		connection.isRefused = true;
		// A request that was answered before its body arrived gets no second reply.
		const end = isArriving ? () => connection.destroySoon() : () => refuseBytes(connection, failure, isHead);
		if (response?.writableFinished === false) response.prependOnceListener("finish", end);
		else end();
	}

	return { answer, refuse, refuseInTurn };
}

function parserFailure({ code, reason, rawPacket }: ParserError): ApiError {
	if (code === "ERR_HTTP_REQUEST_TIMEOUT") return new ApiError("request_timeout");
	if (code === "HPE_HEADER_OVERFLOW") {
		const isRequestLine = rawPacket !== undefined && /^[A-Z]+ /.test(rawPacket.toString("latin1", 0, 20));
		const lineLength = rawPacket?.indexOf("\n") ?? 0;
		return isRequestLine && (lineLength < 0 || lineLength > urlMaxLength)
			? new ApiError("uri_too_long")
			: new ApiError("headers_too_large");
	}
	return new ApiError("malformed_request", `this is not valid HTTP/1.1: ${reason ?? "the request cannot be read"}`);
}

/** Whether the last request before the parser's stop is HEAD, whose reply has no body. */
function isHeadLast(error: ParserError): boolean {
	const read = error.rawPacket?.toString("latin1", 0, error.bytesParsed) ?? "";
	const end = read.lastIndexOf("\r\n\r\n");
	return read.startsWith("HEAD ", end < 0 ? 0 : end + 4);
}
