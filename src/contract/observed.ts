// The facts about requests and connections that metrics and logs receive, and the trace of a request (W3C Trace
// Context): the request's span if OpenTelemetry instruments this process, otherwise the caller's traceparent.

import type { ImportResult } from "./console.ts";
import type { OperationName } from "./operations.ts";

export const logLevels = ["trace", "debug", "info", "warn", "error", "fatal", "silent"] as const;

/** Writes one line for each call, without waiting. Lines below the configured level are not written. */
export type Log = Record<Exclude<(typeof logLevels)[number], "silent">, LogLine>;

/** @param fields JSON values; undefined values are omitted; `err` may be an error */
type LogLine = (fields: object, message: string) => void;

/**
 * The name under which a request is counted. `console`: the console's private endpoints, except its imports (`import`).
 * `page`: anything else that is served. `unknown`: no route, or not HTTP.
 */
export type RouteName = OperationName | "probe" | "metrics" | "console" | "import" | "page" | "unknown";

/** The rows of an import, by their outcome. */
export type ImportCounts = Record<ImportResult["outcome"], number>;

/** A reply, or a request whose client left before the reply. */
export interface Reply {
	route: RouteName;
	method: string;
	/** 499 if the client left before the reply. */
	status: number;
	seconds: number;
	/** The code of the failure, or `client_abort`. */
	reason?: string | undefined;
	imported?: ImportCounts | undefined;
}

/** The traffic of a port since its start. */
export interface TrafficCounts {
	requestsInFlight: number;
	connections: number;
	connectionsAccepted: number;
	/** Connections that were closed immediately. */
	connectionsRefused: { address_limit: number; total_limit: number };
	receivedBytes: number;
	sentBytes: number;
}

export interface TraceContext {
	/** 32 hexadecimal digits, the same in the whole trace. */
	traceId: string;
	/** The span of this request, 16 hexadecimal digits; undefined if nothing records it. */
	spanId: string | undefined;
	/** The reply's `traceparent` header. */
	traceparent: string;
}

/** The part of `@opentelemetry/api` that all its copies in a process share. */
interface SharedApi {
	context?: { active(): { getValue(key: symbol): { spanContext(): SpanContext } | undefined } };
}

interface SpanContext {
	traceId: string;
	spanId: string;
	traceFlags: number;
	/** True if the span is the caller's: then nothing records this request. */
	isRemote?: boolean;
}

const sharedApi = Symbol.for("opentelemetry.js.api.1");
const spanKey = Symbol.for("OpenTelemetry Context Key SPAN");

/** @param header the caller's `traceparent` */
export function traceOf(header: unknown): TraceContext | undefined {
	const api: SharedApi | undefined = Reflect.get(globalThis, sharedApi);
	const active = api?.context?.active().getValue(spanKey)?.spanContext();
	if (!active || active.isRemote || /^0+$/.test(active.spanId)) return callersTrace(header);
	const { traceId, spanId, traceFlags } = active;
	return { traceId, spanId, traceparent: traceParentOf(traceId, spanId, traceFlags) };
}

/** @returns undefined for a missing or an invalid header */
function callersTrace(header: unknown): TraceContext | undefined {
	if (typeof header !== "string") return undefined;
	const [, version, traceId = "", spanId = "", flags = "", rest] =
		/^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/.exec(header) ?? [];
	// Later versions of the header may append parts.
	const isKnown = version !== undefined && version !== "ff" && !(version === "00" && rest !== undefined);
	if (!isKnown || /^0+$/.test(traceId) || /^0+$/.test(spanId)) return undefined;
	return { traceId, spanId: undefined, traceparent: traceParentOf(traceId, spanId, Number.parseInt(flags, 16)) };
}

function traceParentOf(traceId: string, spanId: string, flags: number): string {
	return `00-${traceId}-${spanId}-0${flags & 1}`;
}
