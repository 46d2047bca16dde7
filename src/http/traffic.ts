// Counts the connections of a server, their bytes, and their requests in progress, and limits the connections of an
// address. Nothing is done per request but one addition on its connection.

import type { Server } from "node:http";
import { isIPv6 } from "node:net";
import type { Log, TrafficCounts } from "../contract/observed.ts";
import type { Connection } from "./connections.ts";
import { createCountLog } from "./log-lines.ts";
import type { IsTrustedProxy } from "./proxies.ts";

export interface Traffic {
	watch(server: Server): void;
	read(): TrafficCounts;
	/** Logs what is not logged yet. */
	close(): void;
}

export interface TrafficOptions {
	log: Pick<Log, "warn">;
	/** Concurrent connections of one address; further ones are closed at once. */
	perAddressMax?: number;
	/** A trusted proxy brings the connections of many clients: it has no limit. */
	isTrustedProxy?: IsTrustedProxy | undefined;
}

const proxies = "proxies";

export function createTraffic({ log, perAddressMax = Infinity, isTrustedProxy }: TrafficOptions): Traffic {
	/** Open connections by the network of their client; those of trusted proxies together. What is counted is limited. */
	const open = new Map<string, Set<Connection>>();
	const refused = { address_limit: 0, total_limit: 0 };
	const closed = { received: 0, sent: 0 };
	let accepted = 0;
	const lines = {
		address_limit: createCountLog(log, { reason: "address_limit" }, "connections were refused"),
		total_limit: createCountLog(log, { reason: "total_limit" }, "connections were refused"),
	};

	function refuse(reason: keyof typeof refused): void {
		refused[reason]++;
		lines[reason].count();
	}

	return {
		watch(server) {
			server.on("connection", (socket: Connection) => {
				accepted++;
				const address = socket.remoteAddress ?? "";
				const client = isTrustedProxy?.(address) ? proxies : networkOf(address);
				const ofClient = open.get(client) ?? new Set();
				if (client !== proxies && ofClient.size >= perAddressMax) {
					refuse("address_limit");
					return void socket.destroy();
				}
				open.set(client, ofClient.add(socket));
				socket.once("close", () => {
					ofClient.delete(socket);
					if (ofClient.size === 0) open.delete(client);
					closed.received += socket.bytesRead;
					closed.sent += socket.bytesWritten;
				});
			});
			server.on("drop", () => refuse("total_limit"));
		},
		read() {
			const now = {
				requestsInFlight: 0,
				connections: 0,
				connectionsAccepted: accepted,
				connectionsRefused: { ...refused },
				receivedBytes: closed.received,
				sentBytes: closed.sent,
			};
			for (const ofClient of open.values()) {
				now.connections += ofClient.size;
				for (const { requestsInFlight = 0, bytesRead, bytesWritten } of ofClient) {
					now.requestsInFlight += requestsInFlight;
					now.receivedBytes += bytesRead;
					now.sentBytes += bytesWritten;
				}
			}
			return now;
		},
		close() {
			for (const line of Object.values(lines)) line.close();
		},
	};
}

/** The IPv4 address, or the /64 network of an IPv6 address, because one client usually owns the whole network. */
export function networkOf(address: string): string {
	if (!isIPv6(address) || address.startsWith("::ffff:")) return address.replace("::ffff:", "");
	const [head = "", tail = ""] = address.split("::");
	const [left, right] = [head, tail].map((part) => (part === "" ? [] : part.split(":"))) as [string[], string[]];
	const zeros = Array.from({ length: 8 - left.length - right.length }, () => "0");
	return [...left, ...zeros, ...right].slice(0, 4).join(":");
}
