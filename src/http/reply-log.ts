// One log line and one observation for each reply. What is logged is named field by field: no header, URL or body, so
// no key.

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
