// The facts about requests and connections that metrics and logs receive, and the id of the caller's trace.

import type { OperationName } from "./operations.ts";

export const logLevels = ["trace", "debug", "info", "warn", "error", "fatal", "silent"] as const;

/** Writes one line for each call, without waiting. Lines below the configured level are not written. */
export type Log = Record<Exclude<(typeof logLevels)[number], "silent">, LogLine>;

/** @param fields JSON values; undefined values are omitted; `err` may be an error */
type LogLine = (fields: object, message: string) => void;

/** The text without the characters that control a terminal or change the direction of text. Line breaks stay. */
export function printable(text: string): string {
	return text.replace(/[^\P{Cc}\n]|[\p{Bidi_Control}\u2028\u2029]/gu, "\uFFFD");
}

/**
 * The name under which a request is counted. `console`: the console's private endpoints, except its imports (`import`).
 * `page`: anything else that is served. `unknown`: no route, or not HTTP.
 */
export type RouteName = OperationName | "probe" | "metrics" | "console" | "import" | "page" | "unknown";

/** A reply, or a request whose client left before the reply. */
export interface Reply {
	route: RouteName;
	method: string;
	/** 499 if the client left before the reply. */
	status: number;
	seconds: number;
	/** The code of the failure, or `client_abort`. */
	reason?: string | undefined;
}

/** The traffic of a port since its start. */
export interface TrafficCounts {
	requestsInFlight: number;
	connections: number;
	/** Connections that were closed immediately. */
	connectionsRefused: { address_limit: number; total_limit: number };
}

/**
 * The id of the caller's trace, 32 hexadecimal digits (W3C Trace Context); undefined without a valid header.
 * @param header the request's `traceparent`
 */
export function traceIdOf(header: unknown): string | undefined {
	if (typeof header !== "string") return undefined;
	// Later versions of the header may append parts.
	const [, version, traceId, rest] =
		/^(?!ff)([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}(-.*)?$/.exec(header) ?? [];
	return version === "00" && rest !== undefined ? undefined : traceId;
}
