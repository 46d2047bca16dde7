// Follows each request from its headers to the end of its reply or of its connection: one log line and one count.

import type { IncomingMessage, ServerResponse } from "node:http";
import { type ErrorCode, errors } from "../contract/errors.ts";
import { type Log, type Reply, type RouteName, traceOf } from "../contract/observed.ts";
import { Exchange, type ReplyHead, type Route } from "./exchange.ts";
import type { Connection } from "./intake.ts";
import { clientAbortStatus, createCountLog, fieldsOf } from "./log-lines.ts";

export interface ReplyWatchOptions {
	log: Pick<Log, "info" | "warn">;
	/** The id of a request in its reply and in the log. */
	requestId: (request: Pick<IncomingMessage, "headers">) => string;
	/** Called after each reply. */
	onReply: (reply: Reply) => void;
	/** The log is read by people on a terminal, and has the path, too. */
	isOnTerminal: boolean;
	/** Undefined if the log has no addresses. */
	clientAddressOf?: ((request: IncomingMessage) => string) | undefined;
}

export interface ReplyWatch {
	begin(request: IncomingMessage, response: ServerResponse, head: ReplyHead): Exchange;
	/** Bytes that never became a request are answered with this failure. @returns the id of the reply */
	refuse(code: ErrorCode): string;
	/** Logs what is not logged yet. */
	close(): void;
}

export function createReplyWatch(options: ReplyWatchOptions): ReplyWatch {
	const { log, requestId, onReply, isOnTerminal, clientAddressOf } = options;
	const sheds = createCountLog(log, { "error.type": "overloaded" }, "requests were refused because of overload");

	/** Bound to each response: a function of its own for each would cost more than the count. */
	function end(this: ServerResponse): void {
		const request: IncomingMessage = this.req;
		const { exchange } = request;
		if (!exchange) return;
		const connection: Connection = request.socket;
		connection.requestsInFlight = (connection.requestsInFlight ?? 1) - 1;
		connection.intake?.noteEnd(exchange.bodyBytes ?? 0);
		const { route, startedAtMs } = exchange;
		const [status, reason] = outcomeOf(exchange);
		const reply: Reply = {
			route: nameOf(route),
			method: request.method ?? "",
			status,
			seconds: (performance.now() - startedAtMs) / 1000,
			reason,
			deprecatedCaller: route?.deprecation && exchange.caller?.id,
		};
		onReply(reply);
		if (reason === "overloaded") sheds.count();
		else log.info(fieldsOf(exchange, reply, isOnTerminal), "request");
	}

	return {
		begin(request, response, head) {
			const arrival = {
				id: requestId(request),
				trace: traceOf(request.headers.traceparent),
				clientAddress: clientAddressOf?.(request),
			};
			const exchange = new Exchange(request, response, arrival, head);
			request.exchange = exchange;
			const connection: Connection = request.socket;
			connection.requestsInFlight = (connection.requestsInFlight ?? 0) + 1;
			response.on("close", end);
			return exchange;
		},
		refuse(code) {
			const id = requestId({ headers: {} });
			const status = errors[code].status;
			onReply({ route: "unknown", method: "", status, seconds: 0, reason: code });
			if (code === "overloaded") sheds.count();
			else log.info({ "http.response.status_code": status, "error.type": code, requestId: id }, "request");
			return id;
		},
		close: sheds.close,
	};
}

/** The status and the reason of a failure. */
function outcomeOf({ response, failure }: Exchange): [status: number, reason: string | undefined] {
	return response.writableFinished ? [response.statusCode, failure] : [clientAbortStatus, "client_abort"];
}

function nameOf(route: Route | undefined): RouteName {
	if (route?.operation) return route.operation;
	if (route?.path === undefined || route.allowedMethods) return "unknown";
	return route.countedAs ?? "page";
}
