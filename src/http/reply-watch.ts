// Follows each request from its headers to the end of its reply or of its connection, for one log line and one count.
// Only the fields listed here are logged: no header, query or body, and therefore no key.

import { type ErrorCode, errors } from "../contract/errors.ts";
import type { Log, Reply, RouteName } from "../contract/observed.ts";
import type { Exchange, Route, Watch } from "./exchange.ts";

/** The status of a request whose client left before its reply, as in nginx; it is never sent. */
const clientAbortStatus = 499;
/** How often the count of a frequent event is logged. */
const countEveryMs = 1000;

interface ReplyWatchOptions {
	log: Pick<Log, "info" | "warn">;
	/** The start of every new request id; different in each process. */
	node: string;
	onReply: (reply: Reply) => void;
	/** True if people read the log on a terminal: log lines then include the path. */
	isOnTerminal: boolean;
}

const safeId = /^[\w.:+/=-]{1,128}$/;

export function createReplyWatch(options: ReplyWatchOptions): Watch & { close(): void } {
	const { log, node, onReply, isOnTerminal } = options;
	let ids = 0;
	const sheds = createCountLog(log, { "error.type": "overloaded" }, "requests were refused because of overload");

	function note(reply: Reply, fields: object): void {
		onReply(reply);
		if (reply.reason === "overloaded") sheds.count();
		else log.info(fields, "request");
	}

	/** X-Request-Id as it was sent, if it is safe to log, else a new id. */
	function requestId(sent?: string | string[]): string {
		return typeof sent === "string" && safeId.test(sent) ? sent : `${node}-${(ids++).toString(36)}`;
	}

	function end(exchange: Exchange): void {
		const { request, response, route } = exchange;
		// If a body failed after its first bytes were sent, the service broke it off, not the client.
		const isSent = response.writableFinished || (exchange.failure !== undefined && response.statusCode < 400);
		const reply: Reply = {
			route: nameOf(route),
			method: request.method ?? "",
			status: isSent ? response.statusCode : clientAbortStatus,
			seconds: (performance.now() - exchange.startedAtMs) / 1000,
			reason: isSent ? exchange.failure : "client_abort",
		};
		note(reply, fieldsOf(exchange, reply, isOnTerminal));
	}

	return {
		...{ requestId, end },
		refuse(code: ErrorCode): string {
			const id = requestId();
			const { status } = errors[code];
			const fields = { "http.response.status_code": status, "error.type": code, requestId: id };
			note({ route: "unknown", method: "", status, seconds: 0, reason: code }, fields);
			return id;
		},
		close: sheds.close,
	};
}

function nameOf(route: Route | undefined): RouteName {
	if (route?.operation) return route.operation;
	if (route?.path === undefined || route.allowedMethods) return "unknown";
	return route.countedAs ?? "page";
}

/** The fields of a request's log line, named like OpenTelemetry's attributes where such attributes exist. */
function fieldsOf(exchange: Exchange, { method, status, reason, seconds }: Reply, isOnTerminal: boolean): object {
	const { id, request, route, caller, traceId } = exchange;
	return {
		"http.request.method": method,
		"http.route": route?.path,
		"http.response.status_code": status,
		"error.type": reason,
		"http.response.body.size": status === clientAbortStatus || method === "HEAD" ? undefined : exchange.bodyBytes,
		durationMs: Math.round(seconds * 1e6) / 1000,
		keyId: caller?.id,
		requestId: id,
		trace_id: traceId,
		"url.path": isOnTerminal ? withoutKeys(request.url?.replace(/\?.*/s, "")) : undefined,
	};
}

/** Logs once a second how often an event happened: under overload, a line for each event would add to the load. */
export function createCountLog(log: Pick<Log, "warn">, fields: object, message: string) {
	let [total, logged] = [0, 0];
	let timer: NodeJS.Timeout | undefined;
	function write(): void {
		clearTimeout(timer);
		timer = undefined;
		if (total > logged) log.warn({ ...fields, count: total - logged }, message);
		logged = total;
	}
	return {
		total: () => total,
		count(): void {
			total++;
			timer ??= setTimeout(write, countEveryMs).unref();
		},
		/** Logs the events that have not been logged yet. */
		close: write,
	};
}

/** Removes possible keys from a URL: a caller may put a key there by mistake. */
export function withoutKeys(url = ""): string {
	return url.replace(/pets_\w+/g, "pets_…");
}
