// A request with its reply, from the request's headers to the end of the reply. Handlers and failures of both ports
// write replies only here. The reply's headers are a flat list of names and values, which Node need not copy.

import type { IncomingMessage, ServerResponse } from "node:http";
import { pipeline } from "node:stream/promises";
import type { Deprecation } from "../contract/deprecation.ts";
import { ApiError, type ErrorCode } from "../contract/errors.ts";
import { traceIdOf } from "../contract/observed.ts";
import type { OperationName, Scope } from "../contract/operations.ts";
import { type KeyRow, StorageUnavailable } from "../store/store.ts";
import type { Connection } from "./connection.ts";
import type { Cors } from "./reply-headers.ts";
import type { Unsent } from "./unsent.ts";

/** Answers a request that passed the checks (checks.ts). @throws ApiError to refuse it */
export type Handler = (exchange: Exchange) => Promise<void> | void;

export interface RouteRules {
	/** Who may call the route: everyone, or keys with this scope. If absent, any valid key may call it. */
	access?: "open" | Scope;
	/** The name of the route in logs, metrics and last-used times of keys. */
	operation?: OperationName;
	deprecation?: Deprecation | undefined;
	acceptsBody?: boolean;
	/** The name of the route in metrics, if it is neither an operation nor a page. */
	countedAs?: "probe" | "metrics" | "console" | "import";
	/** True if pages of other origins may not call the route. */
	isPrivate?: boolean;
	handler: Handler;
}

export interface Route extends RouteRules {
	/** The path as it was declared; undefined if no path matches. */
	path?: string;
	/** Only on a path's route for unsupported methods: the methods that the path supports. */
	allowedMethods?: string;
}

export interface Port {
	/** Headers of every reply: alternating names and values. */
	fields: readonly string[];
	/** Undefined if pages of other origins may not call the port. */
	cors?: Cors | undefined;
	/** While this is true, the reply to a connection's latest request closes the connection. */
	isClosing(): boolean;
	watch: Watch;
	/** Checks the key of a request again. @throws ApiError `invalid_credential` */
	checkAgain?: (exchange: Exchange) => Promise<void> | void;
	/** Limits the bytes that clients have not taken; only on the public port. */
	unsent?: Unsent;
}

/** How often the key of a download is checked again. */
const checkAgainMs = 200;
/** The approximate size of a reply's headers. */
const headBytes = 1000;

export interface Watch {
	/** The id of a request in its reply and in the log. */
	requestId(sent?: string | string[]): string;
	/** Called when a request has its whole reply, or its connection has ended. */
	end(exchange: Exchange): void;
	/** Called when bytes that never became a request are refused. @returns the id of the reply */
	refuse(code: ErrorCode): string;
}

/** The start of each challenge of RFC 6750 §3. */
export const challenge = 'Bearer realm="animal-store"';
const challenges: Partial<Record<ErrorCode, string>> = {
	missing_credential: challenge,
	invalid_credential: `${challenge}, error="invalid_token"`,
};

export function failureHeaders({ code, retryAfterSeconds }: ApiError): Record<string, string> {
	const headers: Record<string, string> = { "cache-control": "no-store" };
	const authenticate = challenges[code];
	if (authenticate !== undefined) headers["www-authenticate"] = authenticate;
	if (retryAfterSeconds !== undefined) headers["retry-after"] = String(retryAfterSeconds);
	return headers;
}

export class Exchange {
	readonly connection: Connection;
	readonly request: IncomingMessage;
	readonly response: ServerResponse;
	readonly id: string;
	readonly traceId: string | undefined;
	readonly startedAtMs = performance.now();
	/** Undefined if the request was refused before its route was looked up. */
	route: Route | undefined;
	/** The decoded path of the target; empty until the route is looked up. */
	path = "";
	/** The text after the `?` of the target. */
	query = "";
	/** The address of `/v1` as the caller can reach it, for links. Empty on open routes. */
	baseUrl = "";
	/** Undefined on open routes. See `callerOf`. */
	caller: KeyRow | undefined;
	/** Aborted when the client has left, if `watchLeaving` was called. */
	left: AbortSignal | undefined;
	failure: ErrorCode | undefined;
	status = 200;
	/** The length of the reply's body; undefined if there is no body. */
	bodyBytes: number | undefined;
	readonly #port: Port;
	#fields: string[] = [];
	#isHolding = false;
	#vary = "";

	constructor(connection: Connection, response: ServerResponse, port: Port) {
		const { headers } = response.req;
		this.connection = connection;
		this.request = response.req;
		this.response = response;
		this.id = port.watch.requestId(headers["x-request-id"]);
		this.traceId = traceIdOf(headers.traceparent);
		this.#port = port;
		this.begin();
	}

	/** Starts the reply's headers, or drops those that were set and starts again. */
	begin(): void {
		const { fields, cors } = this.#port;
		this.#fields = [...fields, "x-request-id", this.id];
		this.#vary = "";
		if (cors && !this.route?.isPrivate) {
			this.#fields.push(...cors.fieldsOf(this.request));
			this.vary("Origin");
		}
		if (this.connection.isLast(this)) this.closeAfter();
	}

	/** Sets a header of the reply. @param name in lower case */
	header(name: string, value: string): this {
		const fields = this.#fields;
		for (let index = 0; index < fields.length; index += 2) {
			if (fields[index] !== name) continue;
			fields[index + 1] = value;
			return this;
		}
		fields.push(name, value);
		return this;
	}

	headers(values: Readonly<Record<string, string>>): this {
		for (const name in values) this.header(name, values[name] as string);
		return this;
	}

	/** Adds a request header to the reply's Vary (RFC 9110 §12.5.5). */
	vary(name: string): this {
		this.#vary = this.#vary === "" ? name : `${name}, ${this.#vary}`;
		return this;
	}

	/** Whether the request was refused while it was handled, because its body is malformed or late. */
	get isRefused(): boolean {
		return this.failure !== undefined && this.response.headersSent;
	}

	/** @param body not sent for HEAD */
	send(body: string | Buffer): void {
		if (this.isRefused) return;
		this.bodyBytes = typeof body === "string" ? Buffer.byteLength(body) : body.length;
		this.#fields.push("content-length", String(this.bodyBytes));
		// ASCII has the same bytes in both encodings, and Node writes Latin-1 faster.
		const response = this.#writeHead().end(body, this.bodyBytes === body.length ? "latin1" : "utf8");
		// A Buffer does not count, because the service keeps it in memory anyway.
		if (response.writableLength > 0) this.hold(headBytes + (typeof body === "string" ? this.bodyBytes : 0));
	}

	/**
	 * Sends a body in pieces, as fast as the client takes them, as long as the key works. If a piece fails, the
	 * connection is reset, because an HTTP/1.0 client would take an orderly close for the end of the body.
	 * @throws the failure of the pieces
	 */
	async stream(pieces: AsyncIterable<string | Uint8Array>): Promise<void> {
		if (this.isRefused) return;
		const { socket } = this.request;
		const response = this.#writeHead();
		let failure: unknown;
		const breakOff = (error: unknown) => {
			if (failure !== undefined || response.writableEnded) return;
			failure = error;
			const unexpected = error instanceof StorageUnavailable ? "storage_unavailable" : "internal_error";
			this.failure = error instanceof ApiError ? error.code : unexpected;
			socket.resetAndDestroy();
		};
		// Checks the key at intervals, not with each piece, because a client may take no piece for a long time.
		const checking = setInterval(async () => {
			try {
				await this.checkAgain();
			} catch (error) {
				breakOff(error);
			}
		}, checkAgainMs);
		try {
			await pipeline(pieces, response, { end: false });
			response.end();
		} catch (error) {
			if (failure === undefined && socket.destroyed) return; // The client has left.
			breakOff(error);
			throw failure;
		} finally {
			clearInterval(checking);
		}
	}

	/** Call this after a wait: the key may have been revoked or have expired. @throws ApiError `invalid_credential` */
	checkAgain(): Promise<void> | void {
		return this.#port.checkAgain?.(this);
	}

	/**
	 * Aborts `left` when the client leaves. If no other reply is due, a client that half-closes counts as gone. Only for
	 * private requests: under /v1, a client that half-closes still gets its reply.
	 */
	watchLeaving(): AbortSignal {
		const leaving = new AbortController();
		const { socket } = this.request;
		const leave = () => {
			if (this.connection.requestsInFlight === 1) socket.destroy();
		};
		this.response.once("close", () => {
			socket.off("end", leave);
			leaving.abort();
		});
		socket.once("end", leave);
		if (socket.readableEnded) leave();
		if (this.response.destroyed) leaving.abort();
		this.left = leaving.signal;
		return leaving.signal;
	}

	/** Sets how many bytes this request holds until the client takes them. */
	hold(bytes: number): void {
		if (this.request.socket.destroyed) return;
		this.#isHolding = true;
		this.#port.unsent?.hold(this, bytes);
	}

	/** Resets the connection, because too many bytes wait for clients. */
	cut(): void {
		this.failure = "overloaded";
		this.request.socket.resetAndDestroy();
	}

	sendStatus(status: 204 | 304): void {
		if (this.isRefused) return;
		this.status = status;
		this.#writeHead().end();
	}

	/** Sends a failure. @param isLast closes the connection after the reply */
	fail(failure: ApiError, isLast: boolean): void {
		this.failure = failure.code;
		this.status = failure.status;
		this.headers(failureHeaders(failure));
		if (isLast) this.closeAfter();
		this.sendJson(failure.json);
	}

	/** Refuses a request that was handled in part or not at all, and closes the connection after the reply. */
	refuse(failure: ApiError): void {
		this.connection.refuse();
		this.begin();
		this.fail(failure, true);
	}

	/** Makes this the connection's last reply: later requests are not handled, even while earlier replies are due. */
	closeAfter(): void {
		this.header("connection", "close");
		this.connection.endAfter(this);
	}

	#writeHead(): ServerResponse {
		// Only the reply to the latest request closes the connection: requests that were already read must get a reply.
		if (this.connection.latest === this && this.#port.isClosing()) this.closeAfter();
		if (this.#vary !== "") this.#fields.push("vary", this.#vary);
		return this.response.writeHead(this.status, this.#fields);
	}

	end(): void {
		if (this.#isHolding) this.#port.unsent?.hold(this, 0);
		this.#port.watch.end(this);
	}

	/** Sends JSON as `application/json` without parameters: RFC 8259 §11 defines none. */
	sendJson(json: string | Buffer): void {
		this.header("content-type", "application/json").send(json);
	}
}
