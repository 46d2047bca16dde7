// What the HTTP side tells of its requests and connections. Metrics and logs read it.

import type { OperationName } from "./operations.ts";

/** What a request is counted as: `page` is all else that is served; `unknown` has no route, or is not HTTP. */
export type RouteName = OperationName | "probe" | "metrics" | "page" | "unknown";

/** One reply, or a request whose client left before it. */
export interface Reply {
	route: RouteName;
	method: string;
	/** 499 for a client that left. */
	status: number;
	seconds: number;
	/** The code of the failure, or `client_abort`. */
	reason?: string | undefined;
	/** The key that called a deprecated operation. */
	deprecatedCaller?: string | undefined;
}

/** The traffic of a port since its start. */
export interface TrafficCounts {
	requestsInFlight: number;
	connections: number;
	connectionsAccepted: number;
	/** Connections that were closed at once. */
	connectionsRefused: { address_limit: number; total_limit: number };
	receivedBytes: number;
	sentBytes: number;
}
