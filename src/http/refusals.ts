// Failures as replies, all in one format: those of the app, where errors other than ApiError are converted first, and
// those of requests that the parser or checkFraming refuses or that time out. The latter close the connection.

import type { IncomingMessage } from "node:http";
import { ApiError } from "../contract/errors.ts";
import { bodyMaxBytes, urlMaxLength } from "../contract/limits.ts";
import type { Log } from "../contract/observed.ts";
import { StorageUnavailable, StoreBusy } from "../store/store.ts";
import type { Connection } from "./connection.ts";
import { type Exchange, failureHeaders, type ReplyHead } from "./exchange.ts";
import { STATUS_CODES } from "./node-http.ts";
import { overloaded } from "./overload.ts";
import { type ReplyWatch, withoutKeys } from "./reply-watch.ts";

export type Refusals = ReturnType<typeof createRefusals>;

export interface ParserError extends NodeJS.ErrnoException {
	reason?: string;
	rawPacket?: Buffer;
	bytesParsed?: number;
}

export function createRefusals(head: ReplyHead, replyWatch: Pick<ReplyWatch, "refuse">) {
	/** Answers a request, ignores later ones, and closes the connection. */
	function refuse(exchange: Exchange, failure: ApiError): void {
		exchange.connection.refuse();
		exchange.begin();
		exchange.fail(failure, true);
	}

	/** Answers bytes that never became a request. */
	function refuseBytes(connection: Connection<Exchange>, failure: ApiError, isHead: boolean): void {
		if (!connection.socket.writable) return;
		const own = {
			...{ "x-request-id": replyWatch.refuse(failure.code), ...failureHeaders(failure) },
			...{ "content-type": "application/json", "content-length": String(Buffer.byteLength(failure.json)) },
			...(failure.code === "method_not_allowed" && { allow: "GET, HEAD, POST, OPTIONS" }),
			...{ connection: "close", date: new Date().toUTCString() },
		};
		const fields = [...head.fields, ...Object.entries(own).flat()];
		const lines = fields.map((text, index) => (index % 2 === 0 ? `${text}: ` : `${text}\r\n`));
		const start = `HTTP/1.1 ${failure.status} ${STATUS_CODES[failure.status]}\r\n${lines.join("")}\r\n`;
		connection.end(isHead ? start : start + failure.json);
	}

	/** Answers the request that arrives, or bytes that are none, after earlier requests, and closes the connection. */
	function refuseInTurn(connection: Connection<Exchange> | undefined, error: ParserError | ApiError): void {
		// The parser reports each further piece of the connection, too.
		if (!connection) return;
		if (connection.isEnding || error.code === "HPE_CLOSED_CONNECTION") return void connection.ignore();
		const { socket, latest, arriving } = connection;
		if (error.code === "ECONNRESET" || !socket.writable) return void socket.destroy();
		const [failure, isHead] = error instanceof ApiError ? [error, false] : [parserFailure(error), isHeadLast(error)];
		if (arriving && !arriving.response.headersSent) return void refuse(arriving, failure);
		connection.refuse();
		// A request that was answered before its body arrived gets no second reply.
		const end = arriving ? () => connection.end() : () => refuseBytes(connection, failure, isHead);
		if (latest?.response.writableFinished === false) latest.response.prependOnceListener("finish", end);
		else end();
	}

	return { refuse, refuseInTurn };
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

/** Whether the last request that the parser read is HEAD, whose reply has no body. */
function isHeadLast(error: ParserError): boolean {
	const read = error.rawPacket?.toString("latin1", 0, error.bytesParsed) ?? "";
	const end = read.lastIndexOf("\r\n\r\n");
	return read.startsWith("HEAD ", end < 0 ? 0 : end + 4);
}

/** Answers a request that failed. The cause of a 5xx is logged with the request id and never sent to the caller. */
export function sendFailure(log: Pick<Log, "error">, exchange: Exchange, error: unknown): void {
	const failure = toApiError(error);
	if (failure.status >= 500) logCause(log, failure, error, exchange);
	if (exchange.isRefused) return;
	// A bug in a handler that had already answered: the rest of the reply must not look complete.
	if (exchange.response.headersSent) return void exchange.response.destroy();
	const isUnread = failure.code === "malformed_request" || failure.code === "body_too_large";
	exchange.fail(failure, isUnread || hasUnreadBody(exchange.request));
}

/** Whether the rest of the body may be too long to read. */
function hasUnreadBody({ complete, headers }: IncomingMessage): boolean {
	const { "transfer-encoding": coding, "content-length": length = 0 } = headers;
	return !complete && (coding !== undefined || Number(length) > bodyMaxBytes);
}

/** Logs all of the request that led to a bug, except its body and its credential. Overload and stops have no cause. */
function logCause(log: Pick<Log, "error">, { code }: ApiError, error: unknown, exchange: Exchange): void {
	const { id, trace, route, request } = exchange;
	const fields = { "error.type": code, requestId: id, trace_id: trace?.traceId };
	const { message: cause = String(error) } = Object(error);
	if (code === "storage_unavailable") log.error({ ...fields, cause }, "request failed");
	if (code !== "internal_error") return;
	const repeated = {
		"http.request.method": request.method,
		"http.route": route?.path,
		url: route?.keyOf ? undefined : withoutKeys(request.url), // The path of a download is a ticket.
		"http.request.body.size": request.headers["content-length"],
		"http.request.header.content-type": request.headers["content-type"],
	};
	log.error({ ...fields, ...repeated, err: error }, "request failed");
}

function toApiError(error: unknown): ApiError {
	if (error instanceof ApiError) return error;
	if (error instanceof StoreBusy) return overloaded(error.retryAfterMs);
	return new ApiError(error instanceof StorageUnavailable ? "storage_unavailable" : "internal_error");
}
