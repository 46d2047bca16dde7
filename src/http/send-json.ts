// Sends JSON as `application/json` without parameters (RFC 8259 §11 defines none; Fastify would add a charset).

import type { FastifyReply } from "fastify";

/** @param json sent unchanged */
export function sendJson(reply: FastifyReply, json: string | Buffer): FastifyReply {
	return reply.header("content-type", "application/json").serializer(keepText).send(json);
}

const keepText = (json: string) => json;
