// Spans for an OpenTelemetry collector, as OTLP/HTTP with JSON. Loaded only if OTEL_EXPORTER_OTLP_ENDPOINT is set. Our
// own, because the protocol's JSON is a page, and the libraries would add 25 MB to the installation.

import { AsyncLocalStorage } from "node:async_hooks";
import type { TracedRequest } from "../contract/observed.ts";
import { continueTrace, type TraceContext } from "../contract/trace-context.ts";
import type { Commit, Store } from "../store/store.ts";

/** Spans are sent when there are this many, or after this time. */
const batchMax = 512;
const sendEveryMs = 1000;
/** The most that wait for a collector; further ones are dropped. */
const waitingMax = 4096;
const sendTimeoutMs = 5000;

export interface TracingOptions {
	/** Such as `http://127.0.0.1:4318`. */
	endpoint: string;
	version: string;
	random: (bytes: number) => Buffer;
	/** Called once when spans cannot be sent, until they can again. */
	onFailure: (reason: string) => void;
}

export interface Tracing {
	/** The trace of a request: the caller's, or a new one. */
	traceOf(request: { headers: Readonly<Record<string, unknown>> }): TraceContext;
	/** Runs the handler of a request, so that its calls of the store become spans of its trace. */
	run<Result>(trace: TraceContext | undefined, handler: () => Result): Result;
	onTraced(request: TracedRequest): void;
	observeCommit(commit: Commit): void;
	/** The same store, whose reads and creates are spans. */
	wrap(store: Store): Store;
	/** Sends what waits. */
	close(): Promise<void>;
}

interface Span {
	trace: Pick<TraceContext, "traceId" | "spanId" | "parentId">;
	name: string;
	/** OTLP: 1 is internal, 2 a server. */
	kind: 1 | 2;
	startedAtMs: number;
	endedAtMs: number;
	attributes: Record<string, string | number | undefined>;
	isFailed: boolean;
}

export function createTracing(options: TracingOptions): Tracing {
	const { random } = options;
	const newId = (bytes: number) => random(bytes).toString("hex");
	const current = new AsyncLocalStorage<TraceContext>();
	const { add, close } = createExporter(options);
	let lastCommit: (Commit & { endedAtMs: number }) | undefined;

	/** Runs a call of the store as a span, with the commit that stored it as a span below. */
	async function span<Result>(name: string, isWrite: boolean, call: () => Promise<Result>): Promise<Result> {
		const parent = current.getStore();
		if (!parent?.isSampled) return call();
		const trace = { traceId: parent.traceId, spanId: newId(8), parentId: parent.spanId };
		const startedAtMs = performance.now();
		let isFailed = true;
		try {
			const result = await call();
			isFailed = false;
			return result;
		} finally {
			add({ trace, name, kind: 1, startedAtMs, endedAtMs: performance.now(), attributes: {}, isFailed });
			// The engine reports a commit right before it resolves the writes of its batch.
			if (isWrite && lastCommit && lastCommit.endedAtMs >= startedAtMs) addCommit(trace, lastCommit);
		}
	}

	function addCommit({ traceId, spanId }: Span["trace"], commit: Commit & { endedAtMs: number }): void {
		const { endedAtMs, ms, syncMs, writes, isStored } = commit;
		add({
			trace: { traceId, spanId: newId(8), parentId: spanId },
			name: "commit",
			kind: 1,
			startedAtMs: endedAtMs - ms,
			endedAtMs,
			attributes: { "animal_store.batch.writes": writes, "animal_store.sync.ms": syncMs },
			isFailed: !isStored,
		});
	}

	return {
		traceOf: ({ headers }) =>
			continueTrace(headers["traceparent"], () => newId(8)) ?? {
				traceId: newId(16),
				spanId: newId(8),
				isSampled: true,
			},
		run: (trace, handler) => (trace ? current.run(trace, handler) : handler()),
		onTraced(request) {
			if (request.trace.isSampled) add(serverSpan(request));
		},
		observeCommit(commit) {
			lastCommit = { ...commit, endedAtMs: performance.now() };
		},
		wrap: (store) =>
			Object.assign(Object.create(store) as Store, {
				listPets: (query: Parameters<Store["listPets"]>[0]) =>
					span("store.listPets", false, () => store.listPets(query)),
				getPet: (id: bigint) => span("store.getPet", false, () => store.getPet(id)),
				createPet: (...create: Parameters<Store["createPet"]>) =>
					span("store.createPet", true, () => store.createPet(...create)),
			}),
		close,
	};
}

/** Names and attributes follow OpenTelemetry's conventions for HTTP servers. */
function serverSpan({ trace, method, path, status, reason, requestId, startedAtMs, endedAtMs }: TracedRequest): Span {
	return {
		trace,
		name: path === undefined ? method : `${method} ${path}`,
		kind: 2,
		startedAtMs,
		endedAtMs,
		attributes: {
			"http.request.method": method,
			"http.route": path,
			"http.response.status_code": status,
			"error.type": reason,
			"animal_store.request.id": requestId,
		},
		isFailed: status >= 500,
	};
}

function createExporter({ endpoint, version, onFailure }: TracingOptions) {
	let waiting: Span[] = [];
	let sending = Promise.resolve();
	let hasFailed = false;
	const timer = setInterval(() => void flush(), sendEveryMs).unref();

	function flush(): Promise<void> {
		const batch = waiting;
		waiting = [];
		if (batch.length > 0) sending = sending.then(() => send(batch));
		return sending;
	}

	async function send(batch: Span[]): Promise<void> {
		try {
			const reply = await fetch(`${endpoint}/v1/traces`, {
				method: "POST",
				headers: { "content-type": "application/json" },
				body: JSON.stringify(toOtlp(batch, version)),
				signal: AbortSignal.timeout(sendTimeoutMs),
			});
			await reply.arrayBuffer();
			if (!reply.ok) throw new Error(`the collector answered ${reply.status}`);
			hasFailed = false;
		} catch (error) {
			if (!hasFailed) onFailure(error instanceof Error ? error.message : String(error));
			hasFailed = true;
		}
	}

	return {
		add(span: Span): void {
			if (waiting.length < waitingMax && waiting.push(span) === batchMax) void flush();
		},
		async close(): Promise<void> {
			clearInterval(timer);
			await flush();
		},
	};
}

/** A request of OTLP (opentelemetry-proto, trace.proto, in its JSON form). */
function toOtlp(spans: Span[], version: string): object {
	const resource = { "service.name": "animal-store", "service.version": version };
	return {
		resourceSpans: [
			{
				resource: { attributes: toAttributes(resource) },
				scopeSpans: [{ scope: { name: "animal-store", version }, spans: spans.map(toOtlpSpan) }],
			},
		],
	};
}

function toOtlpSpan({ trace, name, kind, startedAtMs, endedAtMs, attributes, isFailed }: Span): object {
	return {
		traceId: trace.traceId,
		spanId: trace.spanId,
		...(trace.parentId !== undefined && { parentSpanId: trace.parentId }),
		name,
		kind,
		startTimeUnixNano: toUnixNanos(startedAtMs),
		endTimeUnixNano: toUnixNanos(endedAtMs),
		attributes: toAttributes(attributes),
		status: isFailed ? { code: 2 } : {},
	};
}

function toUnixNanos(monotonicMs: number): string {
	return String(BigInt(Math.round((performance.timeOrigin + monotonicMs) * 1000)) * 1000n);
}

function toAttributes(values: Span["attributes"]): object[] {
	return Object.entries(values).flatMap(([key, value]) => (value === undefined ? [] : { key, value: toValue(value) }));
}

function toValue(value: string | number): object {
	if (typeof value === "string") return { stringValue: value };
	return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value };
}
