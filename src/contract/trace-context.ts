// The traceparent header (W3C Trace Context): reads the caller's, and writes our own.

/** The part of a trace that one request is. */
export interface TraceContext {
	/** 32 hexadecimal digits, the same in the whole trace. */
	traceId: string;
	/** 16 hexadecimal digits: this request. */
	spanId: string;
	/** The caller's span, if it sent one. */
	parentId?: string;
	isSampled: boolean;
}

/** @returns the caller's trace, with `spanId` for this request; undefined for a missing or an invalid header */
export function continueTrace(header: unknown, newSpanId: () => string): TraceContext | undefined {
	if (typeof header !== "string") return undefined;
	const [, version, traceId = "", parentId = "", flags = "", rest] =
		/^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/.exec(header) ?? [];
	// Later versions may add parts to the end.
	const isKnown = version !== undefined && version !== "ff" && !(version === "00" && rest !== undefined);
	if (!isKnown || /^0+$/.test(traceId) || /^0+$/.test(parentId)) return undefined;
	return { traceId, spanId: newSpanId(), parentId, isSampled: (Number.parseInt(flags, 16) & 1) === 1 };
}

/** The header that names this request as the parent of what follows. */
export function traceParentOf({ traceId, spanId, isSampled }: TraceContext): string {
	return `00-${traceId}-${spanId}-0${isSampled ? 1 : 0}`;
}
