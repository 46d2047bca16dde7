// What a connection sent and Node has not parsed yet. Node alone would parse and handle whole packets; here they are
// cut into heads and bodies. The first request of a packet is handled at once, those behind it in turns (turns.ts).
// What waits costs only its bytes, and meanwhile the socket rests. A client that does not take its replies is not
// answered further.

import type { IncomingMessage } from "node:http";
import { ApiError } from "../contract/errors.ts";
import { headersMaxBytes } from "../contract/limits.ts";
import type { Connection, Intake } from "./connections.ts";
import { isLineEnd, isRequestLine } from "./framing.ts";
import type { Line, Turns } from "./turns.ts";

/** Bytes of replies that a client has not taken, with those to come. */
const unsentMax = 128 * 1024;
/** The same of all clients. Above it, only those are answered who have taken theirs. */
const unsentInAllMax = 32 * 1024 * 1024;
/** Bytes of any reply; so at most 256 requests of a connection are under way. */
const expectedMin = 512;
/** Reads of a connection that wait for the store: their replies may be larger than those before. */
const readsMax = 16;
/** Of a packet, this many are parsed without a turn: a head and its body. */
const piecesAtOnce = 2;
/** Of a head in several packets; the parser does not count blanks around values. */
const begunMax = 2 * headersMaxBytes;
/** Ends a head, and chunks. */
const emptyLine = Buffer.from("\r\n\r\n");
/** So many of its bytes may be in what was parsed before. */
const overlap = emptyLine.length - 1;
const nothing: Buffer = Buffer.alloc(0);

/** What all connections of a server share. */
export interface Shared {
	turns: Turns;
	unsent: number;
	refuse: (connection: Connection, failure: ApiError) => void;
}

/** Gives a connection its intake, after Node has added its listeners. */
export function addIntake(connection: Connection, shared: Shared): void {
	connection.intake = new ConnectionIntake(connection, shared);
}

class ConnectionIntake implements Intake, Line {
	readonly #connection: Connection;
	readonly #shared: Shared;
	readonly #parse: (bytes: Buffer) => void;
	readonly #end: () => void;
	#waiting: Buffer | undefined;
	#isResting = false;
	#hasEnded = false;
	/** What was parsed of an unfinished head, or the last bytes of unfinished chunks. */
	#begun = nothing;
	/** Bytes of a body that are to come; infinite for chunks. */
	#bodyLeft = 0;
	#unsent = 0;
	/** Requests without a reply that are no creates. */
	#reads = 0;
	/** Of them, so many may be under way; few at first, as nothing is known of the replies. */
	#readsMax = 1;
	/** Bytes of the next reply. */
	#expected = expectedMin;

	/** Takes the place of Node's listeners, which call the parser. The parser then no longer reads the socket itself. */
	constructor(connection: Connection, shared: Shared) {
		const nodes = (event: string) => connection.listeners(event).at(-1) as () => void;
		this.#connection = connection;
		this.#shared = shared;
		this.#parse = nodes("data");
		this.#end = nodes("end");
		connection.off("data", this.#parse).off("end", this.#end);
		connection.on("data", (packet: Buffer) => this.#take(packet));
		connection.on("end", () => this.#takeEnd());
		connection.on("resume", () => this.#rest());
		connection.once("close", () => this.#close());
	}

	get hasMore(): boolean {
		return this.#waiting !== undefined && this.#waiting.length > this.#bodyLeft;
	}

	get isIdle(): boolean {
		return !this.#waiting && !this.#isWithin && this.#connection.latest?.response.writableFinished !== false;
	}

	begin(request: IncomingMessage): boolean {
		const head = this.#begun;
		const { "transfer-encoding": coding, "content-length": length = 0 } = request.headers;
		this.#begun = nothing;
		this.#bodyLeft = coding === undefined ? Number(length) : Infinity;
		if (request.method !== "POST") this.#reads++;
		this.#shared.turns.count(1);
		return isRequestLine(head, request);
	}

	noteReply({ method }: IncomingMessage, bytes: number): void {
		if (method !== "POST") this.#reads--;
		this.#readsMax = Math.min(2 * this.#readsMax, readsMax);
		this.#expected = Math.max(bytes, this.#expected * 0.9, expectedMin);
		this.#add(bytes);
		if (this.#waiting) this.#shared.turns.enter(this);
	}

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
		for (let left = piecesAtOnce; left > 0 && this.#isReady(); left--) this.#parseNext();
		while (this.#waiting && this.#shared.turns.hasRoom() && this.next());
		this.#rest();
	}

	#takeEnd(): void {
		this.#hasEnded = true;
		if (!this.#waiting) this.next();
	}

	/** Node resumes a socket whenever a body is read, or a client took replies. */
	#rest(): void {
		if (!this.#waiting) return;
		this.#isResting = true;
		this.#connection.pause();
		this.#shared.turns.enter(this);
	}

	/** Whether something waits that can be parsed. What follows the last request is ignored. */
	#isReady(): boolean {
		const { writable, isRefused, last } = this.#connection;
		if (!writable || isRefused || last?.complete) this.#waiting = undefined;
		return this.#waiting !== undefined && !this.#isHeld();
	}

	#isHeld(): boolean {
		// Node's own limit: its parser is paused.
		if (this.#connection._paused) return true;
		const underWay = this.#connection.requestsInFlight ?? 0;
		if (underWay === 0 || this.#isWithin) return false;
		if (this.#unsent > 0 && this.#shared.unsent > unsentInAllMax) return true;
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
		// Empty lines before a request are no part of it.
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

	/** Whether the parser has a part of a message, and its time runs. */
	get #isWithin(): boolean {
		return this.#begun !== nothing || this.#bodyLeft > 0;
	}
}
