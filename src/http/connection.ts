// A connection owns a socket: it knows the requests that arrived, and ends the socket. Node's parser reads the socket.
//
// 1. The parser has read a request: `accepts` says whether it still gets a reply.
// 2. `begin` adds the request to those under way. Node sends the replies in the order of the requests.
// 3. Some replies are the connection's last: replies to the 32nd request under way, to a request for an upgrade, to a
//    request during overload or a stop, and to bytes that are not HTTP. What arrives afterwards is ignored.
// 4. When a response closes, sent or not, its request is no longer under way, and its log line and counts are written.
// 5. After the last reply, `end` closes the connection. If bytes may be left unread, it closes completely only half a
//    second after it closed for writing: an earlier close would be a reset, and the client would lose the reply.

import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { ApiError } from "../contract/errors.ts";

/** The most requests under way on a connection. The reply to the last one closes the connection (RFC 9112 §9.3.2). */
export const underWayMax = 32;
/** How long a connection with an unread request stays half open, so that the last reply arrives. */
export const lingerMs = 500;

/** Tells Node's parser that the remaining bytes are not HTTP, as after an upgrade. */
const stopsParsing = 2;

interface Arrived {
	request: IncomingMessage;
	response: ServerResponse;
	closeAfter(): void;
	refuse(failure: ApiError): void;
	/** Called once, at the end of the reply or of the connection. */
	end(): void;
}

export interface HttpServer extends Server {
	open: ReadonlyMap<Socket, Connection>;
}

export class Connection {
	readonly socket: Socket;
	/** The request that arrived last; it may have ended. */
	latest: Arrived | undefined;
	readonly #open: Map<Socket, Connection>;
	/** In order of arrival. A Map that changes so often would keep young objects alive and the garbage collector busy. */
	readonly #underWay: Arrived[] = [];
	/** One listener for all responses, because a new closure for each would take longer than the work of the closure. */
	readonly #onResponseClose: (this: ServerResponse) => void;
	#last: Arrived | undefined;
	#isRefused = false;
	#sendsMore = false;
	/** How many bytes had been read at the end of the latest reply. */
	#readBytes = 0;

	/** @param open the open connections of the server */
	constructor(socket: Socket, open: Map<Socket, Connection>) {
		this.socket = socket;
		this.#open = open;
		const end = (response: ServerResponse) => this.#finish(response);
		this.#onResponseClose = function () {
			end(this);
		};
		socket.destroySoon = () => this.end();
		socket.once("close", () => this.#close());
		open.set(socket, this);
	}

	get requestsInFlight(): number {
		return this.#underWay.length;
	}

	/** The number of replies with 401 that are not sent completely. */
	get unsentRefusals(): number {
		return this.#underWay.filter(({ response }) => response.headersSent && response.statusCode === 401).length;
	}

	/** True if the client has taken every reply, and nothing has arrived since. */
	get isIdle(): boolean {
		return this.#underWay.length === 0 && this.socket.bytesRead === this.#readBytes;
	}

	/** The request that has not arrived completely, if any. */
	get arriving(): Arrived | undefined {
		return this.latest?.request.complete === false ? this.latest : undefined;
	}

	/** True if no further request gets a reply. While the last request is arriving, it can still be refused. */
	get isEnding(): boolean {
		return this.#isRefused || (this.#last !== undefined && !this.arriving);
	}

	/** Call this when a request arrives. @returns whether the request gets a reply */
	accepts(): boolean {
		const isAccepted = !this.#isRefused && !this.#last;
		if (isAccepted) return true;
		this.ignore();
		// Otherwise, Node would parse all requests that have arrived, and delay other clients (docs/decisions/0020).
		const { parser } = this.socket as { parser?: { onIncoming: () => number } };
		if (parser) parser.onIncoming = () => stopsParsing;
		return false;
	}

	/** Call this when bytes arrive that get no reply. Then `end` leaves the client time to read the last reply. */
	ignore(): void {
		this.#sendsMore = true;
	}

	begin(exchange: Arrived): void {
		this.latest = exchange;
		this.#underWay.push(exchange);
		exchange.response.on("close", this.#onResponseClose);
		const { upgrade, connection = "" } = exchange.request.headers;
		// After a request for an upgrade, Node drops the rest of the packet, although this server never upgrades.
		const asksForUpgrade = upgrade !== undefined && /upgrade/i.test(connection);
		if (this.#underWay.length < underWayMax && !asksForUpgrade) return;
		this.ignore();
		exchange.closeAfter();
	}

	/** The reply to this request is the last one: requests after it are not handled (RFC 9112 §9.6). */
	endAfter(exchange: Arrived): void {
		this.#last = exchange;
	}

	isLast(exchange: Arrived): boolean {
		return this.#last === exchange;
	}

	/** Accepts no more requests: the last reply answers the request, or the bytes, that are arriving now. */
	refuse(): void {
		this.#isRefused = true;
	}

	/**
	 * Closes the connection. If bytes may be left unread, it is first closed only for writing: a full close would reset
	 * it and lose the last reply. Node calls this after the last reply. @param text sent before the close
	 */
	end(text = ""): void {
		const { socket } = this;
		socket.end(text);
		if (!this.#sendsMore && !this.arriving && text === "") return void socket.once("finish", () => socket.destroy());
		socket.pause();
		setTimeout(() => socket.destroy(), lingerMs).unref();
	}

	#finish(response: ServerResponse): void {
		const at = this.#underWay.findIndex((one) => one.response === response);
		const [exchange] = at < 0 ? [] : this.#underWay.splice(at, 1);
		if (!exchange) return;
		this.#readBytes = this.socket.bytesRead;
		exchange.end();
	}

	#close(): void {
		this.#open.delete(this.socket);
		// Node closes the response that owns the socket, but not responses that wait for the socket after CONNECT.
		for (const { response } of [...this.#underWay]) if (!response.socket) response.emit("close");
	}
}
