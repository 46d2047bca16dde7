// Sends a request, and repeats it while another attempt may succeed.

import type { ErrorCode, Int64Mode } from "./contract.ts";
import { AnimalStoreError, ApiError, connectionError, isUnsettledBy, NoReply } from "./errors.ts";
import { parseExact } from "./int64.ts";
import { type CallOptions, checkCallOptions, type SentRequest, type Settings, timerMaxMs } from "./options.ts";

const firstPauseMs = 200;
const longestPauseMs = 8_000;
/** How long to try an address that has never replied, because such an address is probably wrong. */
const firstContactMs = 500;

export interface Reply {
	response: Response;
	/** The parsed body. */
	body: unknown;
}

export interface NewRequest extends Pick<SentRequest, "method" | "body" | "headers"> {
	path: string;
	/** True if the reply is a file: its body is not read here, and the signal also ends the caller's reading. */
	isFile?: boolean;
}

/** The requests of one client. */
export class Attempts {
	readonly #settings: Settings;
	/** Whether a reply has arrived. If so, the address is right, and an unreachable service is probably restarting. */
	#hasReplied = false;

	constructor(settings: Settings) {
		this.#settings = settings;
	}

	/**
	 * Repeats attempts that got 429, 502, 503, 504 or no reply, after `Retry-After` or a growing pause with jitter.
	 * @throws AnimalStoreError; TypeError for wrong options; the signal's reason; the error of a hook
	 */
	async send(request: NewRequest, options: CallOptions = {}): Promise<Reply> {
		checkCallOptions(options);
		const { signal, maxRetries = this.#settings.maxRetries } = options;
		const startedAtMs = performance.now();
		let isUnsettled = false;
		for (let attempt = 1; ; attempt++) {
			try {
				return await this.#attempt(request, attempt, options);
			} catch (error) {
				signal?.throwIfAborted();
				if (!(error instanceof AnimalStoreError)) throw error;
				isUnsettled = error.isUnsettled = isUnsettledBy(error, isUnsettled);
				const waitMs = pauseMs(error, attempt);
				const endsAtMs = startedAtMs + this.#retryForMs(error, options);
				if (waitMs === undefined || attempt > maxRetries || performance.now() + waitMs > endsAtMs) throw error;
				this.#settings.onRetry?.({ error, attempt, waitMs });
				await pause(waitMs, signal);
			}
		}
	}

	#retryForMs(error: AnimalStoreError, { retryForMs = this.#settings.retryForMs }: CallOptions): number {
		const isStranger = !this.#hasReplied && error instanceof NoReply && error.reason === "unreachable";
		return isStranger ? Math.min(retryForMs, firstContactMs) : retryForMs;
	}

	async #attempt(
		{ path, isFile = false, ...request }: NewRequest,
		attempt: number,
		options: CallOptions,
	): Promise<Reply> {
		const { base, int64, beforeRequest, afterResponse } = this.#settings;
		const sent: SentRequest = { ...request, url: base + path, headers: { ...request.headers }, attempt };
		await beforeRequest?.(sent);
		const { response, text } = await this.#exchange(sent, options, isFile);
		await afterResponse?.(response, sent);
		if (text === undefined) return { response, body: undefined };
		const body = parse(text, response.ok ? int64 : "string");
		if (!response.ok) throw toApiError(response, body);
		if (body === undefined || isFile)
			throw new ApiError(`the reply is not ${isFile ? "a file" : "JSON"}`, response, "unexpected_reply");
		return { response, body };
	}

	/** @returns the reply, and its text unless the reply is the requested file @throws NoReply */
	async #exchange({ url, method, body, headers }: SentRequest, options: CallOptions, isFile: boolean) {
		const { base, key, fetch: send = fetch } = this.#settings;
		const { signal, timeoutMs = this.#settings.timeoutMs } = options;
		// AbortSignal.timeout and AbortSignal.any would keep their listeners in memory long after the reply, which adds up
		// at thousands of calls a second.
		const attempt = new AbortController();
		const stop = () => attempt.abort(signal?.reason);
		let isLate = false;
		const timer = setTimeout(() => {
			isLate = true;
			stop();
		}, timeoutMs);
		if (signal?.aborted) stop();
		signal?.addEventListener("abort", stop, { once: true });
		let response: Response | undefined;
		let isOpen = false;
		try {
			response = await send(url, {
				method,
				body,
				headers: { ...headers, authorization: `Bearer ${key}` },
				redirect: "error",
				signal: attempt.signal,
			});
			this.#hasReplied = true;
			isOpen = isFile && response.ok && response.headers.has("content-disposition");
			return { response, text: isOpen ? undefined : await response.text() };
		} catch (cause) {
			if (!isLate) throw connectionError(base, cause, response !== undefined);
			throw new NoReply(`no reply from ${base}: time-out after ${timeoutMs} ms`, { cause }, "timeout");
		} finally {
			clearTimeout(timer);
			if (!isOpen) signal?.removeEventListener("abort", stop);
		}
	}
}

/** @returns undefined if the text is not JSON @throws RangeError (parseExact) */
function parse(text: string, int64: Int64Mode): unknown {
	try {
		return parseExact(text, int64);
	} catch (error) {
		if (error instanceof SyntaxError) return undefined;
		throw error;
	}
}

function toApiError(response: Response, body: unknown): ApiError {
	const { code, message } = (body ?? {}) as { code?: ErrorCode; message?: string };
	if (code && message) return new ApiError(message, response, code);
	return new ApiError(`another server, such as a proxy, replied ${response.status}`, response, "unexpected_reply");
}

/** How long to wait after this attempt; undefined if another attempt cannot succeed. */
function pauseMs(error: AnimalStoreError, attempt: number): number | undefined {
	const jitter = 0.5 + Math.random() / 2;
	const growing = Math.min(firstPauseMs * 2 ** (attempt - 1), longestPauseMs) * jitter;
	if (!(error instanceof ApiError)) return growing;
	const isTemporary = /^(429|50[234])$/.test(`${error.status}`);
	return isTemporary ? (error.retryAfterSeconds ?? 0) * 1000 + growing : undefined;
}

function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
	return new Promise((resolve, reject) => {
		// onRetry may have aborted the signal, and an aborted signal calls no listener.
		signal?.throwIfAborted();
		const stop = () => {
			clearTimeout(timer);
			reject(signal?.reason);
		};
		const timer = setTimeout(
			() => {
				signal?.removeEventListener("abort", stop);
				resolve();
			},
			Math.min(ms, timerMaxMs),
		);
		signal?.addEventListener("abort", stop, { once: true });
	});
}
