// A connection, and its bytes that Node has not parsed yet. Packets are cut into heads and bodies. The first request of
// a packet is handled at once, unless many clients connect, and those behind it in turns (turns.ts). Bytes that wait
// cost no other memory, and meanwhile the socket is not read. A client that does not read its replies gets no more.

import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { ApiError } from "../contract/errors.ts";
import { headersMaxBytes } from "../contract/limits.ts";
import { isLineEnd, isRequestLine } from "./framing.ts";
import type { Line, Turns } from "./turns.ts";

/** Bytes of replies that a client has not read, with those to come. */
const unsentMax = 128 * 1024;
/** The same for all clients together. Above it, only clients that have read their replies are answered. */
export const unsentInAllMax = 32 * 1024 * 1024;
/** Bytes of any reply; so at most 256 requests of a connection are under way. */
const expectedMin = 512;
/** Reads of a connection that wait for the store: their replies may be larger than those before. */
const readsMax = 16;
/** The pieces of a packet that are parsed without a turn: a head and its body. */
const piecesAtOnce = 2;
/** Bytes of a head in several packets; the parser does not count blanks around values. */
const begunMax = 2 * headersMaxBytes;
/** Ends a head, and chunks. */
const emptyLine = Buffer.from("\r\n\r\n");
/** At most so many of its bytes were parsed with the piece before. */
const overlap = emptyLine.length - 1;
const nothing: Buffer = Buffer.alloc(0);

/** How long a connection with an unread request stays half open, so that its reply arrives. */
export const lingerMs = 500;

/** A server with its open connections. */
export interface HttpServer extends Server {
	open: Set<Connection>;
}

/** A connection, with its current or last request. */
export interface Connection extends Socket {
	latest?: { request: IncomingMessage; response: ServerResponse };
	intake?: Intake;
	/** The last reply is sent, or waits for those before it: further requests are ignored. */
	isRefused?: boolean;
	/** The request whose reply is the last one, such as one that asks for an upgrade: all bytes after it are ignored. */
	last?: IncomingMessage;
	/** The client has sent bytes that are ignored, or will. */
	sendsMore?: boolean;
	/** The latest Authorization field, and the hash of the key in it, if any: most requests repeat it. */
	credential?: { field: string; keyHash: string | undefined };
	/** Requests whose reply is not complete. */
	requestsInFlight?: number;
	/** Node's listener for the end of the connection, which aborts all requests without a reply. */
	abortAll?: (() => void) | undefined;
	/** Set by Node while too much waits for the client: the parser takes nothing. */
	_paused?: boolean;
}

/**
 * Replaces Node's `destroySoon`: closes the connection for writing, and completely a moment later. A full close with
 * unread bytes would reset the connection, and the reply could be lost.
 */
export function closeGracefully(this: Connection): void {
	this.end();
	const isFullyRead = !this.sendsMore && !this.intake?.hasMore && (this.latest?.request.complete ?? true);
	if (isFullyRead) return void this.once("finish", () => this.destroy());
	this.pause();
	setTimeout(() => this.destroy(), lingerMs).unref();
}

interface Shared {
	turns: Turns;
	unsent: number;
	unsentMax: number;
	refuse: (connection: Connection, failure: ApiError) => void;
}

/** Made after Node has added its listeners to the connection. */
export class Intake implements Line {
	readonly #connection: Connection;
	readonly #shared: Shared;
	readonly #parse: (bytes: Buffer) => void;
	readonly #end: () => void;
	#waiting: Buffer | undefined;
	#isResting = false;
	#hasEnded = false;
	/** The parsed bytes of an unfinished head, or the last ones of unfinished chunks. */
	#begun = nothing;
	/** Bytes that the body still lacks; infinite for chunks. */
	#bodyLeft = 0;
	#unsent = 0;
	/** Requests without a reply, except creates. */
	#reads = 0;
	/** The most reads under way; few at first, because the size of the replies is not known. */
	#readsMax = 1;
	/** Bytes that the next reply may have. */
	#expected = expectedMin;

	/** Replaces Node's listeners, which call the parser. The parser then no longer reads the socket itself. */
	constructor(connection: Connection, shared: Shared) {
		const nodes = (event: string) => connection.listeners(event).at(-1) as () => void;
		this.#connection = connection;
		this.#shared = shared;
		this.#parse = nodes("data");
		this.#end = nodes("end");
		connection.off("data", this.#parse).off("end", this.#end);
		connection.on("data", (packet: Buffer) => this.#take(packet));
		connection.on("end", () => {
			this.#hasEnded = true;
			if (!this.#waiting) this.next();
		});
		connection.on("resume", () => this.#rest());
		connection.once("close", () => this.#close());
	}

	/** Whether more was read than the latest request. */
	get hasMore(): boolean {
		return this.#waiting !== undefined && this.#waiting.length > this.#bodyLeft;
	}

	/** Whether the client has read all replies, and nothing of a further request has arrived. */
	get isIdle(): boolean {
		return !this.#waiting && !this.#isWithin && this.#connection.latest?.response.writableFinished !== false;
	}

	/** A request begins. @returns whether its line is valid */
	begin(request: IncomingMessage): boolean {
		const head = this.#begun;
		const { "transfer-encoding": coding, "content-length": length = 0 } = request.headers;
		this.#begun = nothing;
		this.#bodyLeft = coding === undefined ? Number(length) : Infinity;
		if (request.method !== "POST") this.#reads++;
		this.#shared.turns.count(1);
		return isRequestLine(head, request);
	}

	/** A reply with a body of this length is about to be sent. */
	noteReply({ method }: IncomingMessage, bytes: number): void {
		if (method !== "POST") this.#reads--;
		this.#readsMax = Math.min(2 * this.#readsMax, readsMax);
		this.#expected = Math.max(bytes, this.#expected * 0.9, expectedMin);
		this.#add(bytes);
		if (this.#waiting) this.#shared.turns.enter(this);
	}

	/** The reply was sent, or never will be. */
	noteEnd(bytes: number): void {
		this.#add(-bytes);
		if (this.#waiting) this.#shared.turns.enter(this);
	}

	next(): boolean {
		for (let left = this.#shared.turns.share(); this.#isReady(); left--) {
			if (left <= 0) return true;
			this.#parseNext();
		}
		if (this.#waiting) return false;
		if (this.#hasEnded && !this.#connection.isRefused) this.#end();
		this.#hasEnded = false;
		return false;
	}

	#take(packet: Buffer): void {
		if (this.#waiting) {
			this.#waiting = Buffer.concat([this.#waiting, packet]);
			return;
		}
		this.#waiting = packet;
		if (this.#shared.turns.isCrowded()) return void this.#rest();
		for (let left = piecesAtOnce; left > 0 && this.#isReady(); left--) this.#parseNext();
		while (this.#waiting && this.#shared.turns.hasRoom() && this.next());
		this.#rest();
	}

	/** Also called when Node resumes the socket: whenever a body is read, or a client has read replies. */
	#rest(): void {
		if (!this.#waiting) return;
		this.#isResting = true;
		this.#connection.pause();
		this.#shared.turns.enter(this);
	}

	/** Whether bytes wait that can be parsed. Those after the last request are ignored. */
	#isReady(): boolean {
		const { writable, isRefused, last } = this.#connection;
		if (last?.complete && this.#waiting) this.#connection.sendsMore = true;
		if (!writable || isRefused || last?.complete) this.#waiting = undefined;
		return this.#waiting !== undefined && !this.#isHeld();
	}

	#isHeld(): boolean {
		if (this.#connection._paused) return true;
		const underWay = this.#connection.requestsInFlight ?? 0;
		if (underWay === 0 || this.#isWithin) return false;
		if (this.#unsent > 0 && this.#shared.unsent > this.#shared.unsentMax) return true;
		return this.#reads >= this.#readsMax || (underWay + 1) * this.#expected > unsentMax;
	}

	/** Gives the parser a head or a body, or a part of one. */
	#parseNext(): void {
		const waiting = this.#waiting as Buffer;
		const piece = this.#cut(waiting);
		this.#waiting = piece.length < waiting.length ? waiting.subarray(piece.length) : undefined;
		if (this.#isResting && !this.#waiting) {
			// Before the parser, which may want the socket to rest.
			this.#isResting = false;
			this.#connection.resume();
		}
		const begun = this.#begun === nothing ? piece : Buffer.concat([this.#begun, piece]);
		if (this.#bodyLeft === 0) this.#begun = begun;
		else if (this.#bodyLeft === Infinity) this.#begun = begun.subarray(-overlap);
		else this.#bodyLeft -= piece.length;
		this.#parse(piece);
		if (this.#begun !== nothing) this.#lookAtBegun();
	}

	/** After a part of a head, or of chunks. */
	#lookAtBegun(): void {
		if (this.#bodyLeft === Infinity) {
			if (!this.#connection.latest?.request.complete) return;
			this.#bodyLeft = 0;
			this.#begun = nothing;
		}
		// Empty lines before a request do not belong to it.
		if (this.#begun.every(isLineEnd)) this.#begun = nothing;
		if (this.#begun.length > begunMax) this.#shared.refuse(this.#connection, new ApiError("headers_too_large"));
	}

	/** @returns the next bytes up to the end of a head, of chunks, or of a body */
	#cut(waiting: Buffer): Buffer {
		if (this.#bodyLeft > 0 && this.#bodyLeft < Infinity) return waiting.subarray(0, this.#bodyLeft);
		const before = this.#begun.subarray(-overlap);
		const seam = before.length > 0 ? Buffer.concat([before, waiting.subarray(0, overlap)]).indexOf(emptyLine) : -1;
		const at = seam < 0 ? waiting.indexOf(emptyLine) : seam - before.length;
		const length = at + emptyLine.length;
		return (seam < 0 && at < 0) || length === waiting.length ? waiting : waiting.subarray(0, length);
	}

	#add(bytes: number): void {
		if (this.#connection.destroyed) return;
		this.#unsent += bytes;
		this.#shared.unsent += bytes;
	}

	#close(): void {
		this.#shared.unsent -= this.#unsent;
		this.#unsent = 0;
		this.#waiting = undefined;
		this.#hasEnded = false;
	}

	/** Whether the parser has a part of a message, whose time is limited. */
	get #isWithin(): boolean {
		return this.#begun !== nothing || this.#bodyLeft > 0;
	}
}
