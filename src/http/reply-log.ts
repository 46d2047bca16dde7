// Logs and measures each reply. Only the fields listed here are logged: no header, URL or body, and therefore no key.
// On a terminal, method and path are shown as well.

import type { FastifyInstance } from "fastify";
import type { RefusalOptions } from "./refusals.ts";

export interface ReplyLogOptions extends Pick<RefusalOptions, "log" | "onReply"> {
	isOnTerminal: boolean;
}

export function logReplies(app: FastifyInstance, { log, onReply, isOnTerminal }: ReplyLogOptions): void {
	app.addHook("onResponse", (request, reply, done) => {
		const { operation = "none" } = request.routeOptions.config;
		const { statusCode: status } = reply;
		onReply({ operation, status, seconds: reply.elapsedTime / 1000 });
		log.info(
			{
				requestId: request.id,
				keyId: request.caller?.id,
				operation,
				...(isOnTerminal && { method: request.method, path: pathWithoutKeys(request.url) }),
				status,
				durationMs: Math.round(reply.elapsedTime * 1000) / 1000,
			},
			"request",
		);
		done();
	});
}

/** A caller may put its key into the path by mistake. */
function pathWithoutKeys(url: string): string {
	return url.replace(/\?.*/s, "").replace(/pets_\w+/g, "pets_…");
}
