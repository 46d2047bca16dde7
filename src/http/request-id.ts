// X-Request-Id: identifies a request in replies and logs.

import type { IncomingMessage } from "node:http";
import type {} from "./exchange.ts"; // It declares `exchange`.

const usable = /^[\w.:+/=-]{1,128}$/;

/**
 * Uses the caller's id if it is safe to log, else generates one.
 * @param prefix unique per process
 */
export function createRequestIds(prefix: string): (request: Pick<IncomingMessage, "headers" | "exchange">) => string {
	let count = 0;
	return ({ headers, exchange }) => {
		if (exchange) return exchange.id;
		const sent = headers["x-request-id"];
		return typeof sent === "string" && usable.test(sent) ? sent : `${prefix}-${(count++).toString(36)}`;
	};
}
