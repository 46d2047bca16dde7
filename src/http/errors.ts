// Sends every failure in the one error format. Errors other than ApiError are converted first.

import { ApiError } from "../contract/errors.ts";
import type { Log } from "../contract/observed.ts";
import { StorageUnavailable, StoreBusy } from "../store/store.ts";
import type { Exchange } from "./exchange.ts";
import { hasUnreadBody } from "./framing.ts";
import { withoutKeys } from "./log-lines.ts";
import { overloaded } from "./overload.ts";

/** Causes of 5xx are logged with the request id and never sent to the caller. */
export function createErrorHandler(log: Pick<Log, "error">): (exchange: Exchange, error: unknown) => void {
	return (exchange, error) => {
		const failure = toApiError(error);
		if (failure.status >= 500) logCause(log, failure, error, exchange);
		if (exchange.isRefused) return;
		// A bug in a handler that had already answered: the rest of the reply must not look complete.
		if (exchange.response.headersSent) return void exchange.response.destroy();
		const isUnread = failure.code === "malformed_request" || failure.code === "body_too_large";
		exchange.fail(failure, isUnread || hasUnreadBody(exchange.request));
	};
}

/**
 * A bug is logged with all that repeats the request but its body and its credential. Refusals for overload and at a
 * stop need no cause.
 */
function logCause(log: Pick<Log, "error">, { code }: ApiError, error: unknown, exchange: Exchange): void {
	const { id, trace, route, request } = exchange;
	// An absent trace is not written.
	const fields = { "error.type": code, requestId: id, trace_id: trace?.traceId };
	if (code === "storage_unavailable") log.error({ ...fields, cause: messageOf(error) }, "request failed");
	if (code !== "internal_error") return;
	const repeated = {
		"http.request.method": request.method,
		"http.route": route?.path,
		url: withoutKeys(request.url, true),
		"http.request.body.size": request.headers["content-length"],
		"http.request.header.content-type": request.headers["content-type"],
	};
	log.error({ ...fields, ...repeated, err: error }, "request failed");
}

function messageOf(error: unknown): string {
	return error instanceof Error ? error.message : String(error);
}

/** Converts errors of the store, and bugs, to an ApiError. */
function toApiError(error: unknown): ApiError {
	if (error instanceof ApiError) return error;
	if (error instanceof StoreBusy) return overloaded(error.retryAfterMs);
	return new ApiError(error instanceof StorageUnavailable ? "storage_unavailable" : "internal_error");
}
