// Logs and measures each reply. Only the fields listed here are logged: no header, URL or body, and therefore no key.

import type { FastifyInstance } from "fastify";
import type { RefusalOptions } from "./refusals.ts";

export function logReplies(app: FastifyInstance, { log, onReply }: Pick<RefusalOptions, "log" | "onReply">): void {
	app.addHook("onResponse", (request, reply, done) => {
		const { operation = "none" } = request.routeOptions.config;
		const { statusCode: status } = reply;
		onReply({ operation, status, seconds: reply.elapsedTime / 1000 });
		log.info(
			{
				requestId: request.id,
				keyId: request.caller?.id,
				operation,
				status,
				durationMs: Math.round(reply.elapsedTime * 1000) / 1000,
			},
			"request",
		);
		done();
	});
}
