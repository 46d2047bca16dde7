// Every failure on its way out: an ApiError as it is, everything else translated, always the one shape.

import type { FastifyError, FastifyReply, FastifyRequest } from "fastify";
import type { Logger } from "pino";
import { ApiError } from "../contract/errors.ts";
import { StorageUnavailable } from "../store/store.ts";
import { challenge } from "./auth.ts";
import { bodyTooLarge, hasUnreadBody } from "./framing.ts";
import { sendJson } from "./send-json.ts";

const retryAfterSeconds = 1;

/** Makes Fastify's error handler. Causes of 5xx go to the log with the request id, never to the caller. */
export function createErrorHandler(log: Logger) {
	return (error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply => {
		const failure = isHangUp(error, request) ? bodyTooShort() : toApiError(error);
		if (failure.status >= 500) log.error({ err: error, requestId: request.id, code: failure.code }, "request failed");
		reply.headers(errorHeaders(failure));
		if (failure.code === "malformed_request" || hasUnreadBody(request.raw)) reply.header("connection", "close");
		return sendJson(reply.code(failure.status), JSON.stringify(failure));
	};
}

export function errorHeaders({ code, retryAfterSeconds }: ApiError): Record<string, string> {
	return {
		"cache-control": "no-store",
		...(code === "missing_credential" && { "www-authenticate": challenge }),
		...(code === "invalid_credential" && { "www-authenticate": `${challenge}, error="invalid_token"` }),
		...(retryAfterSeconds !== undefined && { "retry-after": String(retryAfterSeconds) }),
	};
}

/** The caller left, or was sent away, before its body had come. */
function isHangUp(error: unknown, { raw }: FastifyRequest): boolean {
	return raw.readableAborted && (error as NodeJS.ErrnoException | undefined)?.code === "ECONNRESET";
}

function bodyTooShort(): ApiError {
	return new ApiError("malformed_request", "the connection ended before the body did");
}

/** Fastify's and the store's failures in our words. */
export function toApiError(error: unknown): ApiError {
	if (error instanceof ApiError) return error;
	if (error instanceof StorageUnavailable) {
		return new ApiError(
			"storage_unavailable",
			"the store is not available at the moment: try again",
			retryAfterSeconds,
		);
	}
	switch ((error as FastifyError | undefined)?.code) {
		case "FST_ERR_CTP_BODY_TOO_LARGE":
			return bodyTooLarge();
		case "FST_ERR_CTP_INVALID_CONTENT_LENGTH":
			return bodyTooShort();
		default:
			return new ApiError(
				"internal_error",
				"something went wrong on our side; the request id in X-Request-Id helps to find out what",
			);
	}
}
