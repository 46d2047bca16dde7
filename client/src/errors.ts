// The errors of failed calls: the service refused the call (ApiError), or no reply arrived (NoReply).

import type { ErrorCode } from "./contract.ts";

/** The base class of the errors of failed calls. */
export abstract class AnimalStoreError extends Error {
	/** After a create: whether the animal may have been added. Repeat the call with `idempotencyKey` to find out. */
	isUnsettled = true;
	/** After a create: its Idempotency-Key, with which the animal is added only once within 24 hours. */
	idempotencyKey?: string;
}

/** Refusals that depend only on the request, so no attempt with the same request can have added an animal. */
const refusesRequest = /^(invalid_(json|body|parameter)|body_too_large|unsupported_media_type|idempotency_key_reused)$/;

/**
 * An error reply of the service, with its message.
 *
 * ```ts
 * if (error instanceof ApiError && error.code === "invalid_body") console.log(error.message);
 * ```
 */
export class ApiError extends AnimalStoreError {
	override readonly name = "ApiError";
	/** The service's code, or `unexpected_reply` if another server, such as a proxy, replied. Codes may be added. */
	readonly code: ErrorCode | "unexpected_reply";
	/** The HTTP status. */
	readonly status: number;
	readonly headers: Headers;
	/** Identifies the request in the service's log. */
	readonly requestId: string | undefined;
	/** Seconds to wait before another attempt. */
	readonly retryAfterSeconds: number | undefined;

	constructor(message: string, { status, headers }: Response, code: ErrorCode | "unexpected_reply") {
		super(message);
		this.code = code;
		this.status = status;
		this.headers = headers;
		// A create that was refused as `overloaded` was not stored.
		this.isUnsettled = (status >= 500 && code !== "overloaded") || code === "unexpected_reply";
		this.requestId = requestIdOf(headers);
		const seconds = headers.get("retry-after");
		this.retryAfterSeconds = seconds !== null && /^\d+$/.test(seconds) ? Number(seconds) : undefined;
	}
}

/** No reply arrived. The cause is `fetch`'s error. */
export class NoReply extends AnimalStoreError {
	override readonly name = "NoReply";
	/**
	 * `timeout`: no reply within `timeoutMs`. `lost`: the connection broke. `unreachable`: there was no connection, or
	 * the runtime (a browser) does not distinguish this from a broken connection.
	 */
	readonly reason: "timeout" | "lost" | "unreachable";

	constructor(message: string, options?: ErrorOptions, reason: NoReply["reason"] = "unreachable") {
		super(message, options);
		this.reason = reason;
	}
}

/** Whether the outcome of a create is still unknown after this error. @param before whether it was unknown before */
export function isUnsettledBy(error: AnimalStoreError, before: boolean): boolean {
	return error.isUnsettled || (before && !(error instanceof ApiError && refusesRequest.test(error.code)));
}

export function requestIdOf(headers: Headers): string | undefined {
	return headers.get("x-request-id") ?? undefined;
}

const brokenConnection = /ECONNRESET|ECONNABORTED|EPIPE|UND_ERR_SOCKET|connection (closed|reset)|broken pipe/i;
/** If an https address leads to a port without TLS, the error has the code of a reset, but this text in its message. */
const noTls = /before secure TLS/;

/**
 * Explains an error of `fetch`. The reason is in the error's cause, or in the error itself (Bun, browsers).
 * @param hasBegun whether the head of a reply had arrived
 */
export function connectionError(address: string, thrown: unknown, hasBegun: boolean): NoReply {
	const error = (thrown ?? {}) as { code?: string; message?: string; cause?: { code?: string; message?: string } };
	const { code = error.code, message = error.message } = error.cause ?? {};
	const isLost = hasBegun || (brokenConnection.test(`${code} ${message}`) && !noTls.test(String(message)));
	const problem = `the connection ${isLost ? "was lost" : "failed"} (${code ?? message})`;
	return new NoReply(`no reply from ${address}: ${problem}`, { cause: thrown }, isLost ? "lost" : "unreachable");
}
