// Every failure on its way out: an ApiError as it is, everything else translated, always the one shape.

import type { FastifyError, FastifyReply, FastifyRequest } from "fastify";
import type { Logger } from "pino";
import { ApiError, type ErrorCode } from "../contract/errors.ts";
import { StorageUnavailable } from "../store/store.ts";
import { bodyTooLarge, hasUnreadBody } from "./framing.ts";
import { sendJson } from "./send-json.ts";

const retryAfterSeconds = 1;

/** After these nobody knows where the next request would start. */
const brokenFraming = new Set<ErrorCode>(["malformed_request", "headers_too_large", "uri_too_long"]);

/** Makes Fastify's error handler. Causes of 5xx go to the log with the request id, never to the caller. */
export function errorHandler(log: Logger) {
	return (error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply => {
		const failure = toApiError(error);
		if (failure.status >= 500) log.error({ err: error, requestId: request.id, code: failure.code }, "request failed");
		reply.headers(errorHeaders(failure, request.headers.authorization !== undefined));
		if (brokenFraming.has(failure.code) || hasUnreadBody(request.raw)) reply.header("connection", "close");
		return sendJson(reply.code(failure.status), JSON.stringify(failure));
	};
}

export function errorHeaders(
	{ status, retryAfterSeconds }: ApiError,
	isCredentialSent: boolean,
): Record<string, string> {
	return {
		"cache-control": "no-store",
		...(status === 401 && {
			"www-authenticate": `Bearer realm="animal-store"${isCredentialSent ? ', error="invalid_token"' : ""}`,
		}),
		...(retryAfterSeconds !== undefined && { "retry-after": String(retryAfterSeconds) }),
	};
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
			return new ApiError("malformed_request", "the body is shorter than its Content-Length");
		default:
			return new ApiError(
				"internal_error",
				"something went wrong on our side; the request id in X-Request-Id helps to find out what",
			);
	}
}
