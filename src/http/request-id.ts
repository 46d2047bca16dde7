// X-Request-Id: identifies a request in replies and logs.

import type { IncomingMessage } from "node:http";
import type {} from "./reply-watch.ts"; // It declares `record`.

const usable = /^[\w.:+/=-]{1,128}$/;

/**
 * Uses the caller's id if it is safe to log, else generates one.
 * @param prefix unique per process
 */
export function createRequestIds(prefix: string): (request: Pick<IncomingMessage, "headers" | "record">) => string {
	let count = 0;
	return ({ headers, record }) => {
		if (record) return record.id;
		const sent = headers["x-request-id"];
		return typeof sent === "string" && usable.test(sent) ? sent : `${prefix}-${(count++).toString(36)}`;
	};
}
