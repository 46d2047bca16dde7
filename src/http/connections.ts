// Connections: how many there may be from one address, how many requests may wait on one, and how one is closed so that
// its last reply arrives.

import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { isIPv6, type Socket } from "node:net";

/** A connection, with the request that it works on or worked on last. */
export interface Connection extends Socket {
	latest?: { request: IncomingMessage; response: ServerResponse };
	/** Requests that were sent before the reply to the one before them, and are not answered yet. */
	pipelined?: number;
	/** Its last reply is written: what follows is not heard. */
	isRefused?: boolean;
	/** Node's own, known to its error events as `rawPacket`: the bytes that are being parsed. */
	parser?: { getCurrentBuffer?(): Buffer } | null;
}

/** Requests that may wait on one connection. A client that sends on and reads nothing would keep all others waiting. */
export const pipelinedMax = 64;

/** How long a connection whose request is not read to its end stays half open, so that the reply is not cut off. */
export const lingerMs = 500;

/** Counts a request of a connection as waiting until it is answered. @returns whether it is one too many */
export function exceedsPipelineLimit(connection: Connection, response: ServerResponse): boolean {
	connection.pipelined = (connection.pipelined ?? 0) + 1;
	response.once("close", () => {
		connection.pipelined = (connection.pipelined ?? 1) - 1;
	});
	return connection.pipelined > pipelinedMax;
}

/**
 * Instead of Node's `destroySoon`: the connection is closed for writing only, and for good a moment later. Closing it
 * with unread bytes would reset it, and the reply could be lost on its way.
 */
export function closeGracefully(this: Connection): void {
	this.end();
	const isReadToEnd = this.latest?.request.complete ?? true;
	if (isReadToEnd) return void this.once("finish", () => this.destroy());
	this.pause();
	setTimeout(() => this.destroy(), lingerMs).unref();
}

/** Closes connections beyond this number from one address as they come. @param max 0 for no limit */
export function limitPerAddress(server: Server, max: number): void {
	if (max === 0) return;
	const open = new Map<string, number>();
	server.on("connection", (socket) => {
		const network = networkOf(socket.remoteAddress ?? "");
		const count = (open.get(network) ?? 0) + 1;
		if (count > max) return void socket.destroy();
		open.set(network, count);
		socket.once("close", () => {
			const left = (open.get(network) ?? 1) - 1;
			if (left > 0) open.set(network, left);
			else open.delete(network);
		});
	});
}

/** The address; of IPv6 its /64 network, since one client has all addresses of it. */
export function networkOf(address: string): string {
	if (!isIPv6(address) || address.startsWith("::ffff:")) return address.replace("::ffff:", "");
	const [head = "", tail = ""] = address.split("::");
	const [left, right] = [head, tail].map((part) => (part === "" ? [] : part.split(":"))) as [string[], string[]];
	const zeros = Array.from({ length: 8 - left.length - right.length }, () => "0");
	return [...left, ...zeros, ...right].slice(0, 4).join(":");
}
