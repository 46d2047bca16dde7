// Sends every failure in the one error format. Errors other than ApiError are converted first.

import type { FastifyError, FastifyReply, FastifyRequest } from "fastify";
import type { Logger } from "pino";
import { ApiError } from "../contract/errors.ts";
import { StorageUnavailable, StoreBusy } from "../store/store.ts";
import { challenge } from "./auth.ts";
import { bodyTooLarge, hasUnreadBody } from "./framing.ts";
import { overloaded } from "./overload.ts";
import { noteFailure, pathOf, withoutKeys } from "./reply-watch.ts";
import { sendJson } from "./send-json.ts";

const retryAfterSeconds = 1;

/** Creates Fastify's error handler. Causes of 5xx are logged with the request id and never sent to the caller. */
export function createErrorHandler(log: Logger) {
	return (error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply => {
		const failure = isHangUp(error, request) ? bodyTooShort() : toApiError(error);
		if (failure.status >= 500) logCause(log, failure, error, request);
		noteFailure(request.raw, failure.code);
		reply.headers(errorHeaders(failure));
		if (failure.code === "malformed_request" || hasUnreadBody(request.raw)) reply.header("connection", "close");
		return sendJson(reply.code(failure.status), JSON.stringify(failure));
	};
}

/**
 * A bug is logged with all that repeats the request but its body and its credential. Refusals for overload and at a
 * stop need no cause.
 */
function logCause(log: Logger, { code }: ApiError, error: unknown, { id, raw }: FastifyRequest): void {
	// An absent trace is not written.
	const fields = { "error.type": code, requestId: id, trace_id: raw.record?.trace?.traceId };
	if (code === "storage_unavailable") log.error({ ...fields, cause: messageOf(error) }, "request failed");
	if (code !== "internal_error") return;
	const route = pathOf(raw.record?.app?.rules);
	const request = {
		"http.request.method": raw.method,
		"http.route": route,
		url: withoutKeys(raw.url, true),
		"http.request.body.size": raw.headers["content-length"],
		"http.request.header.content-type": raw.headers["content-type"],
	};
	log.error({ ...fields, ...request, err: error }, "request failed");
}

function messageOf(error: unknown): string {
	return error instanceof Error ? error.message : String(error);
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
