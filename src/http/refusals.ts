// Error replies outside the app: for requests that the parser or framing.ts refuses, and for requests that time out.
// They have the same format as all errors, and the connection is closed after them.

import { ApiError } from "../contract/errors.ts";
import { urlMaxLength } from "../contract/limits.ts";
import { type Connection, lingerMs } from "./connections.ts";
import { type Exchange, failureFields, type ReplyHead } from "./exchange.ts";
import { STATUS_CODES } from "./node-http.ts";
import type { ReplyWatch } from "./reply-watch.ts";

export interface Refusals {
	/** Answers a request, ignores later ones, and closes the connection. */
	refuse(exchange: Exchange, failure: ApiError): void;
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

export function createRefusals(head: ReplyHead, replyWatch: ReplyWatch): Refusals {
	function refuse(exchange: Exchange, failure: ApiError): void {
		const connection: Connection = exchange.request.socket;
		connection.isRefused = true;
		exchange.begin();
		exchange.fail(failure, true);
	}

	/** Answers bytes that never became a request. */
	function refuseBytes(connection: Connection, failure: ApiError, isHead: boolean): void {
		if (!connection.writable) return;
		const fields = [
			...[...head.fields, "x-request-id", replyWatch.refuse(failure.code), ...failureFields(failure)],
			...["content-type", "application/json", "content-length", String(Buffer.byteLength(failure.json))],
			...(failure.code === "method_not_allowed" ? ["allow", "GET, HEAD, POST, OPTIONS"] : []),
			...["connection", "close", "date", new Date().toUTCString()],
		];
		const lines = fields.map((text, index) => (index % 2 === 0 ? `${text}: ` : `${text}\r\n`));
		const start = `HTTP/1.1 ${failure.status} ${STATUS_CODES[failure.status]}\r\n${lines.join("")}\r\n`;
		connection.end(isHead ? start : start + failure.json);
		setTimeout(() => connection.destroy(), lingerMs).unref();
	}

	function refuseInTurn(connection: Connection, error: ParserError | ApiError): void {
		// The parser reports each further piece of the connection, too.
		if (connection.isRefused || connection.last?.complete || error.code === "HPE_CLOSED_CONNECTION") return;
		if (error.code === "ECONNRESET" || !connection.writable) return void connection.destroy();
		const [failure, isHead] = error instanceof ApiError ? [error, false] : [parserFailure(error), isHeadLast(error)];
		const { request, response } = connection.latest ?? {};
		const isArriving = request?.complete === false;
		if (isArriving && request.exchange && !response?.headersSent) return void refuse(request.exchange, failure);
		connection.isRefused = true;
		// A request that was answered before its body arrived gets no second reply.
		const end = isArriving ? () => connection.destroySoon() : () => refuseBytes(connection, failure, isHead);
		if (response?.writableFinished === false) response.prependOnceListener("finish", end);
		else end();
	}

	return { refuse, refuseInTurn };
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
