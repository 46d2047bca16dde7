// What a connection sent and Node has not parsed yet. Node alone would parse and handle whole packets; here they are
// cut into messages, and each is parsed in its turn (turns.ts). What waits costs only its bytes, and meanwhile the
// socket rests. A client that does not take its replies is not answered further.

import type { IncomingMessage } from "node:http";
import { headersMaxBytes } from "../contract/limits.ts";
import type { Connection, Intake } from "./connections.ts";
import { isRequestLine } from "./framing.ts";
import type { Line, Turns } from "./turns.ts";

/** Bytes of replies that a client has not taken, with those to come. */
const unsentMax = 128 * 1024;
/** The same of all clients. Above it, only those are answered who have taken theirs. */
const unsentInAllMax = 32 * 1024 * 1024;
/** Bytes of any reply; so at most 256 requests of a connection are under way. */
const expectedMin = 512;
/** Reads of a connection that wait for the store: their replies may be larger than those before. */
const readsMax = 16;
const headEnd = "\r\n\r\n";
const [carriageReturn, lineFeed] = [0x0d, 0x0a];
const nothing: Buffer = Buffer.alloc(0);

/** What all connections of a server share. */
export interface Shared {
	turns: Turns;
	unsent: number;
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
	/** Of the piece that is parsed, those of requests to come. */
	#heads = 0;
	#isResting = false;
	#hasEnded = false;
	/** The parser has a part of a message, and its time runs. */
	#isWithin = false;
	/** Bytes of a body that are to come, if its length is known. */
	#bodyLeft = 0;
	/** What is being parsed, or the part of a head that was. */
	#piece = nothing;
	/** Where the next request line begins, in it or behind it; undefined where that is not known. */
	#lineAt: number | undefined;
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
		return this.#waiting !== undefined || this.#heads > 0;
	}

	get isIdle(): boolean {
		return !this.hasMore && !this.#isWithin && this.#connection.latest?.response.writableFinished !== false;
	}

	isLineValid(request: IncomingMessage): boolean {
		const piece = this.#piece;
		let at = this.#lineAt;
		if (at === undefined) return true;
		while (piece[at] === carriageReturn || piece[at] === lineFeed) at++;
		const { "transfer-encoding": coding, "content-length": length = 0 } = request.headers;
		const bodyAt = piece.indexOf(headEnd, at) + headEnd.length;
		this.#lineAt = coding === undefined ? bodyAt + Number(length) : undefined;
		return isRequestLine(piece, at, request);
	}

	noteRequest({ method }: IncomingMessage): void {
		this.#heads--;
		if (method !== "POST") this.#reads++;
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
		const { parser, writable } = this.#connection;
		if (!parser || !writable) this.#waiting = undefined;
		if (this.#waiting && this.#isHeld()) return false;
		if (this.#waiting) this.#parseFrom(this.#waiting);
		if (this.#waiting) return true;
		if (this.#hasEnded && this.#connection.parser) this.#end();
		this.#hasEnded = false;
		return false;
	}

	#take(packet: Buffer): void {
		if (this.#waiting) {
			this.#waiting = Buffer.concat([this.#waiting, packet]);
			return;
		}
		this.#waiting = packet;
		while (this.#shared.turns.hasRoom() && this.next());
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

	#isHeld(): boolean {
		// Node's own limit: its parser is paused.
		if (this.#connection._paused) return true;
		if (this.#isWithin || this.#underWay === 0) return false;
		return this.#room <= 0 || (this.#unsent > 0 && this.#shared.unsent > unsentInAllMax);
	}

	#parseFrom(waiting: Buffer): void {
		const underWay = this.#underWay;
		if (this.#piece === nothing) this.#lineAt = this.#isWithin || this.#bodyLeft > 0 ? undefined : 0;
		const piece = this.#cut(waiting);
		this.#waiting = piece.length < waiting.length ? waiting.subarray(piece.length) : undefined;
		if (this.#isResting && !this.#waiting) {
			// Before the parser, which may want the socket to rest.
			this.#isResting = false;
			this.#connection.resume();
		}
		this.#piece = this.#piece === nothing ? piece : Buffer.concat([this.#piece, piece]);
		this.#parse(piece);
		this.#heads = 0;
		const { request } = this.#connection.latest ?? {};
		if (request?.complete === false) {
			this.#isWithin = true;
			this.#bodyLeft ||= Math.max((this.#lineAt ?? 0) - this.#piece.length, 0);
		}
		const isPartOfHead = this.#isWithin && request?.complete !== false && this.#piece.length <= headersMaxBytes;
		if (!isPartOfHead) this.#piece = nothing;
		this.#shared.turns.count(this.#underWay - underWay);
	}

	/** @returns the rest of a body, or the heads of some requests, or a part of one */
	#cut(waiting: Buffer): Buffer {
		const bodyLeft = this.#bodyLeft;
		this.#bodyLeft = Math.max(bodyLeft - waiting.length, 0);
		this.#isWithin = false;
		if (bodyLeft > 0) return waiting.subarray(0, bodyLeft);
		let length = 0;
		for (let left = Math.min(this.#room, this.#shared.turns.share()); length === 0 || left > 0; left--) {
			const at = waiting.indexOf(headEnd, length);
			if (at < 0) break;
			length = at + headEnd.length;
			this.#heads++;
		}
		this.#isWithin = length === 0;
		return length === 0 || length === waiting.length ? waiting : waiting.subarray(0, length);
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
	}

	get #underWay(): number {
		return this.#connection.requestsInFlight ?? 0;
	}

	/** How many more requests may be under way. */
	get #room(): number {
		return Math.min(Math.floor(unsentMax / this.#expected) - this.#underWay, this.#readsMax - this.#reads);
	}
}
