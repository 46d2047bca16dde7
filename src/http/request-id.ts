// X-Request-Id: names a request in replies and logs.

import type { IncomingMessage } from "node:http";

const usable = /^[\w.:+/=-]{1,128}$/;

/**
 * Takes the caller's id when it is safe to log, and makes one otherwise.
 * @param prefix tells one process from another
 */
export function createRequestIds(prefix: string): (request: Pick<IncomingMessage, "headers">) => string {
	let count = 0;
	return ({ headers }) => {
		const sent = headers["x-request-id"];
		return typeof sent === "string" && usable.test(sent) ? sent : `${prefix}-${(count++).toString(36)}`;
	};
}
