// Sends every failure in the one error format. Errors other than ApiError are converted first.

import type { FastifyError, FastifyReply, FastifyRequest } from "fastify";
import type { Logger } from "pino";
import { ApiError } from "../contract/errors.ts";
import { StorageUnavailable, StoreBusy } from "../store/store.ts";
import { challenge } from "./auth.ts";
import { bodyTooLarge, hasUnreadBody } from "./framing.ts";
import { overloaded } from "./overload.ts";
import { sendJson } from "./send-json.ts";

const retryAfterSeconds = 1;

/** Creates Fastify's error handler. Causes of 5xx are logged with the request id and never sent to the caller. */
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

/** Whether the connection was closed before the whole body arrived. */
function isHangUp(error: unknown, { raw }: FastifyRequest): boolean {
	return raw.readableAborted && (error as NodeJS.ErrnoException | undefined)?.code === "ECONNRESET";
}

function bodyTooShort(): ApiError {
	return new ApiError("malformed_request", "the connection ended before the whole body arrived");
}

/** Converts errors of Fastify and the store to an ApiError. */
export function toApiError(error: unknown): ApiError {
	if (error instanceof ApiError) return error;
	if (error instanceof StoreBusy) return overloaded(error.retryAfterMs);
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
				"the service failed: report the X-Request-Id of this reply to its operator",
			);
	}
}
