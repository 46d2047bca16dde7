// X-Request-Id: names a request in replies and logs.

import { randomBytes } from "node:crypto";
import type { IncomingMessage } from "node:http";

const usable = /^[\w.:+/=-]{1,128}$/;

/** Takes the caller's id when it is safe to log, and makes one otherwise. */
export function requestIds(): (request: Pick<IncomingMessage, "headers">) => string {
	const prefix = randomBytes(6).toString("base64url");
	let count = 0;
	return ({ headers }) => {
		const sent = headers["x-request-id"];
		return typeof sent === "string" && usable.test(sent) ? sent : `${prefix}-${(count++).toString(36)}`;
	};
}
