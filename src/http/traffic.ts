// Counts the connections and requests of a server, and limits the connections from one address.

import { isIPv6 } from "node:net";
import type { Log, TrafficCounts } from "../contract/observed.ts";
import type { HttpServer } from "./connection.ts";
import type { IsTrustedProxy } from "./proxies.ts";
import { createCountLog } from "./reply-watch.ts";

export type Traffic = ReturnType<typeof createTraffic>;

interface TrafficOptions {
	log: Pick<Log, "warn">;
	/** The most concurrent connections from one address; further connections are closed immediately. */
	perAddressMax?: number;
	/** Trusted proxies have no limit, because they carry the connections of many clients. */
	isTrustedProxy?: IsTrustedProxy | undefined;
}

const proxies = "proxies";

export function createTraffic({ log, perAddressMax = Infinity, isTrustedProxy }: TrafficOptions) {
	/** The number of open connections by the client's network; all connections of trusted proxies have one count. */
	const counts = new Map<string, number>();
	let open: HttpServer["open"] = new Map();
	const refusals = (reason: string) => createCountLog(log, { reason }, "connections were refused");
	const [atAddressLimit, atTotalLimit] = [refusals("address_limit"), refusals("total_limit")];

	return {
		/** Called once, before other listeners of connections are added. */
		watch(server: HttpServer): void {
			open = server.open;
			server.on("connection", (socket) => {
				const address = socket.remoteAddress ?? "";
				const client = isTrustedProxy?.(address) ? proxies : networkOf(address);
				const others = counts.get(client) ?? 0;
				if (client !== proxies && others >= perAddressMax) {
					atAddressLimit.count();
					return void socket.destroy();
				}
				counts.set(client, others + 1);
				socket.once("close", () => {
					const left = (counts.get(client) ?? 1) - 1;
					if (left > 0) counts.set(client, left);
					else counts.delete(client);
				});
			});
			server.on("drop", atTotalLimit.count);
		},
		read(): TrafficCounts {
			return {
				requestsInFlight: open.values().reduce((sum, { requestsInFlight }) => sum + requestsInFlight, 0),
				connections: open.size,
				connectionsRefused: { address_limit: atAddressLimit.total(), total_limit: atTotalLimit.total() },
			};
		},
		close(): void {
			atAddressLimit.close();
			atTotalLimit.close();
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
