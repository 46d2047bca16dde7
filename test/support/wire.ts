// Sends bytes over a socket and reads the replies, for requests that no HTTP client sends.

import assert from "node:assert/strict";
import { connect, type Socket } from "node:net";
import type { TestService } from "./service.ts";
import { until, within } from "./until.ts";

export interface Reply {
	status: number;
	/** The names are in lower case; a comma joins the values of repeated fields. */
	headers: Record<string, string>;
	body: string;
}

export class Connection {
	readonly socket: Socket;
	isOpen = true;
	/** Received bytes that `next` has not returned yet. */
	received = Buffer.alloc(0);
	#wake = () => {};

	constructor(port: number) {
		this.socket = connect({ port, host: "127.0.0.1", noDelay: true });
		this.socket.on("data", (chunk) => {
			this.received = Buffer.concat([this.received, chunk]);
			this.#wake();
		});
		for (const event of ["end", "error", "close"]) this.socket.on(event, () => this.end());
	}

	end(): void {
		this.isOpen = false;
		this.socket.destroy();
		this.#wake();
	}

	/** The next reply; undefined if the connection ended before it. */
	async next(isHead = false): Promise<Reply | undefined> {
		for (;;) {
			const first = firstReply(this.received, isHead);
			if (first && (first.length <= this.received.length || !this.isOpen)) {
				this.received = this.received.subarray(first.length);
				return first.reply;
			}
			if (!this.isOpen) return undefined;
			await new Promise<void>((resolve) => {
				this.#wake = resolve;
			});
		}
	}
}

/** The head of a create, which ends with these header lines but lacks the empty line. */
export const createHead = (key: string, lines = "") =>
	`POST /v1/pets HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\n${lines}`;

/** Sends bytes over one connection. @returns all replies, once the server has closed the connection */
export async function exchange(port: number, bytes: Buffer | string): Promise<Reply[]> {
	const connection = new Connection(port);
	connection.socket.write(bytes);
	const replies: Reply[] = [];
	const read = async () => {
		for (let reply = await connection.next(); reply; reply = await connection.next()) replies.push(reply);
		return replies;
	};
	return within(`the end of a connection after ${bytes.slice(0, 80)}`, read()).finally(() => connection.end());
}

/** Adds a page of animals with the longest names. */
export async function addLargePage(port: number, key: string): Promise<void> {
	const body = JSON.stringify({ name: "🐾".repeat(255), categoryId: 1 });
	const create = createHead(key, `Content-Length: ${Buffer.byteLength(body)}\r\n`);
	const some = `${`${create}\r\n${body}`.repeat(24)}${create}Connection: close\r\n\r\n${body}`;
	const replies = await Promise.all(Array.from({ length: 4 }, () => exchange(port, some)));
	assert.equal(replies.flat().filter(({ status }) => status === 201).length, 100);
}

/** The first reply, once its headers are complete. The length exceeds the bytes if the reply's end is missing. */
function firstReply(bytes: Buffer, isHead: boolean): { reply: Reply; length: number } | undefined {
	const end = bytes.indexOf("\r\n\r\n");
	if (end < 0) return undefined;
	const [statusLine = "", ...lines] = bytes.toString("latin1", 0, end).split("\r\n");
	const headers: Record<string, string> = {};
	for (const line of lines) {
		const [, name = "", value = ""] = /^([^:]+): ?(.*)$/.exec(line) ?? [];
		const known = headers[name.toLowerCase()];
		headers[name.toLowerCase()] = known === undefined ? value : `${known}, ${value}`;
	}
	const status = Number(statusLine.split(" ")[1]);
	const isEmpty = isHead || status < 200 || status === 204 || status === 304;
	const length = end + 4 + (isEmpty ? 0 : Number(headers["content-length"] ?? 0));
	return { reply: { status, headers, body: bytes.toString("utf8", end + 4, length) }, length };
}

/** Repeats a request until the kernel has no room for the reply. @returns how many requests were sent */
export async function fillKernel({ traffic, log }: TestService, socket: Socket, request: string): Promise<number> {
	const replies = () => log.filter(({ msg }) => msg === "request").length;
	for (let sent = 1; ; sent++) {
		const before = replies();
		let looks = 0;
		socket.pause().write(request);
		const isStuck = () => traffic().requestsInFlight > 0 && ++looks > 10;
		await until("the kernel to take the reply, or not", () => replies() > before || isStuck(), { everyMs: 20 });
		if (traffic().requestsInFlight > 0) return sent;
	}
}
