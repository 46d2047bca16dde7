// Connections: the network of a client, the limit of pipelined requests, and a graceful close that does not lose the
// last reply.

import type { IncomingMessage, ServerResponse } from "node:http";
import { isIPv6, type Socket } from "node:net";

/** A connection, with its current or last request. */
export interface Connection extends Socket {
	latest?: { request: IncomingMessage; response: ServerResponse };
	/** Number of requests that were sent before the previous reply and are not answered yet. */
	pipelined?: number;
	/** The last reply is sent, or waits for those before it: further requests are ignored. */
	isRefused?: boolean;
	/** Asked for an upgrade: its reply is the last one, and what follows it is ignored. */
	last?: IncomingMessage;
	/** The latest Authorization field, and the hash of the key in it, if any: most requests repeat it. */
	credential?: { field: string; keyHash: string | undefined };
	/** Requests whose reply is not complete. */
	requestsInFlight?: number;
	/** Node's parser. `getCurrentBuffer` returns the bytes being parsed, which error events call `rawPacket`. */
	parser?: { getCurrentBuffer?(): Buffer } | null;
}

/** The most unanswered requests of a connection. A client that sends without reading would delay all others. */
export const pipelinedMax = 256;

/** How long a connection with an unread request stays half open, so that its reply arrives. */
export const lingerMs = 500;

/** Counts a request of a connection until it is answered. @returns whether the connection exceeds the limit */
export function exceedsPipelineLimit(connection: Connection, response: ServerResponse): boolean {
	connection.pipelined = (connection.pipelined ?? 0) + 1;
	response.once("close", () => {
		connection.pipelined = (connection.pipelined ?? 1) - 1;
	});
	return connection.pipelined > pipelinedMax;
}

/**
 * Replaces Node's `destroySoon`: closes the connection for writing, and completely a moment later. A full close with
 * unread bytes would reset the connection, and the reply could be lost.
 */
export function closeGracefully(this: Connection): void {
	this.end();
	const isFullyRead = !this.last && (this.latest?.request.complete ?? true);
	if (isFullyRead) return void this.once("finish", () => this.destroy());
	this.pause();
	setTimeout(() => this.destroy(), lingerMs).unref();
}

/** The IPv4 address, or the /64 network of an IPv6 address, because one client usually owns the whole network. */
export function networkOf(address: string): string {
	if (!isIPv6(address) || address.startsWith("::ffff:")) return address.replace("::ffff:", "");
	const [head = "", tail = ""] = address.split("::");
	const [left, right] = [head, tail].map((part) => (part === "" ? [] : part.split(":"))) as [string[], string[]];
	const zeros = Array.from({ length: 8 - left.length - right.length }, () => "0");
	return [...left, ...zeros, ...right].slice(0, 4).join(":");
}
