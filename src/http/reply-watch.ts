// Follows each request of the public port from its headers to the end of its reply or of its connection: one log line
// and one count. Only the fields listed here are logged: no header, query or body, and therefore no key.

import type { IncomingMessage, ServerResponse } from "node:http";
import { type ErrorCode, errorStatus } from "../contract/errors.ts";
import type { Reply, RouteName, TracedRequest } from "../contract/observed.ts";
import type { TraceContext } from "../contract/trace-context.ts";
import type { Exchange, RouteRules } from "./checks.ts";
import type { Connection } from "./connections.ts";

/** The status of a request whose client left before its reply, as in nginx; it is never sent. */
export const clientAbortStatus = 499;
/** How often the refusals of an overloaded service are logged. */
const shedEveryMs = 1000;

/** What is known of a request so far. */
export interface RequestRecord {
	readonly id: string;
	/** On the monotonic clock. */
	readonly startedAtMs: number;
	readonly trace: TraceContext | undefined;
	readonly clientAddress: string | undefined;
	/** The code of its failure. */
	code?: ErrorCode;
	/** Known once the app has its request. */
	app?: Exchange;
}

declare module "node:http" {
	interface IncomingMessage {
		/** Only on the public port. */
		record?: RequestRecord;
	}
}

/** Writes lines whose fields are JSON already, which costs a fifth of what an object costs. */
export interface LineLog {
	/** @param fields such as `"a":1,"b":2` */
	writeInfo(fields: string, message: string): void;
	warn(fields: object, message: string): void;
}

export interface ReplyWatchOptions {
	log: LineLog;
	/** The id of a request in its reply and in the log. */
	requestId: (request: Pick<IncomingMessage, "headers" | "record">) => string;
	/** Called after each reply. */
	onReply: (reply: Reply) => void;
	/** The log is read by people on a terminal, and has the path, too. */
	isOnTerminal: boolean;
	/** The trace that a request belongs to, if any. */
	traceOf?: (request: IncomingMessage) => TraceContext | undefined;
	/** Called at the end of each request that belongs to a trace. */
	onTraced?: (request: TracedRequest) => void;
	/** Undefined if the log has no addresses. */
	clientAddressOf?: ((request: IncomingMessage) => string) | undefined;
}

export interface ReplyWatch {
	begin(request: IncomingMessage, response: ServerResponse): void;
	/** Bytes that never became a request were answered with this failure. */
	refuse(code: ErrorCode, id: string): void;
	/** Logs what is not logged yet. */
	close(): void;
}

export function createReplyWatch(options: ReplyWatchOptions): ReplyWatch {
	const { log, requestId, onReply, traceOf, onTraced, clientAddressOf } = options;
	const sheds = createShedLog(log);

	/** Bound to each response: a function of its own for each would cost more than the count. */
	function end(this: ServerResponse): void {
		const request: IncomingMessage = this.req;
		const { record } = request;
		if (!record) return;
		const connection: Connection = request.socket;
		connection.requestsInFlight = (connection.requestsInFlight ?? 1) - 1;
		const { app, startedAtMs, trace } = record;
		const endedAtMs = performance.now();
		const { method = "" } = request;
		const [status, reason] = outcomeOf(this, record, connection.isRefused === true);
		const route = routeOf(app?.rules);
		const deprecatedCaller = app?.rules.deprecation && app.request.caller?.id;
		onReply({ route, method, status, seconds: (endedAtMs - startedAtMs) / 1000, reason, deprecatedCaller });
		if (trace && onTraced) {
			const path = pathOf(app?.rules);
			onTraced({ trace, method, path, status, reason, requestId: record.id, startedAtMs, endedAtMs });
		}
		if (reason === "overloaded") sheds.count();
		else logReply(request, { method, status, reason, record, ms: endedAtMs - startedAtMs });
	}

	function logReply(request: IncomingMessage, parts: LineParts): void {
		const path = options.isOnTerminal ? `,"url.path":${JSON.stringify(withoutKeys(request.url))}` : "";
		log.writeInfo(fieldsOf(parts) + path, "request");
	}

	return {
		begin(request, response) {
			request.record = {
				id: requestId(request),
				startedAtMs: performance.now(),
				trace: traceOf?.(request),
				clientAddress: clientAddressOf?.(request),
			};
			const connection: Connection = request.socket;
			connection.requestsInFlight = (connection.requestsInFlight ?? 0) + 1;
			response.on("close", end);
		},
		refuse(code, id) {
			const status = errorStatus[code];
			onReply({ route: "unknown", method: "", status, seconds: 0, reason: code });
			if (code === "overloaded") sheds.count();
			else log.writeInfo(`"http.response.status_code":${status},"error.type":"${code}","requestId":"${id}"`, "request");
		},
		close: sheds.close,
	};
}

/** The status and the reason of a failure. A refusal that was written on the socket has no headers in its response. */
function outcomeOf(
	response: ServerResponse,
	{ code }: RequestRecord,
	isRefused: boolean,
): [status: number, reason: string | undefined] {
	if (response.writableFinished) return [response.statusCode, code];
	if (isRefused && code !== undefined && !response.headersSent) return [errorStatus[code], code];
	return [clientAbortStatus, "client_abort"];
}

interface LineParts {
	method: string;
	status: number;
	reason: string | undefined;
	record: RequestRecord;
	ms: number;
}

/** The fields of a request's line, with the attribute names of OpenTelemetry where it has one. */
function fieldsOf({ method, status, reason, record, ms }: LineParts): string {
	const { app, id, trace, clientAddress } = record;
	const path = pathOf(app?.rules);
	const caller = app?.request.caller?.id;
	const bytes = status === clientAbortStatus || method === "HEAD" ? undefined : app?.reply.getHeader("content-length");
	// Integers, because writing a fraction costs more than the rest of the line.
	const micros = Math.round(ms * 1000);
	const fraction = micros % 1000;
	return `"http.request.method":"${method}"${
		path === undefined ? "" : `,"http.route":"${path}"`
	},"http.response.status_code":${status}${reason === undefined ? "" : `,"error.type":"${reason}"`}${
		bytes === undefined ? "" : `,"http.response.body.size":${bytes}`
	},"durationMs":${Math.floor(micros / 1000)}.${fraction < 10 ? "00" : fraction < 100 ? "0" : ""}${fraction}${
		caller === undefined ? "" : `,"keyId":"${caller}"`
	},"requestId":"${id}"${trace === undefined ? "" : `,"trace_id":"${trace.traceId}"`}${
		clientAddress === undefined ? "" : `,"client.address":${JSON.stringify(clientAddress)}`
	}`;
}

/** Refusals of an overloaded service have one line each second: a line for each would add to the load. */
function createShedLog(log: LineLog): { count(): void; close(): void } {
	let count = 0;
	let timer: NodeJS.Timeout | undefined;
	function write(): void {
		clearTimeout(timer);
		timer = undefined;
		if (count > 0) log.warn({ "error.type": "overloaded", count }, "requests were refused because of overload");
		count = 0;
	}
	return {
		count() {
			count++;
			timer ??= setTimeout(write, shedEveryMs).unref();
		},
		close: write,
	};
}

/** Remembers why a request failed, for its log line and its count. */
export function noteFailure({ record }: IncomingMessage, code: ErrorCode): void {
	if (record) record.code = code;
}

function routeOf(rules: RouteRules | undefined): RouteName {
	if (rules?.operation) return rules.operation;
	if (!rules || rules.isUnknownPath || rules.allowedMethods) return "unknown";
	return rules.isProbe ? "probe" : "page";
}

/** The pattern of the path, such as `/v1/pets/:petId`. */
export function pathOf(rules: RouteRules | undefined): string | undefined {
	return rules?.isUnknownPath ? undefined : rules?.url;
}

/** A URL without what may be a key: a caller may send it there by mistake. */
export function withoutKeys(url = "", keepsQuery = false): string {
	return (keepsQuery ? url : url.replace(/\?.*/s, "")).replace(/pets_\w+/g, "pets_…");
}
