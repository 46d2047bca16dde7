// Counts the connections of a server, their bytes, and their requests in progress. Nothing is done per request but one
// addition on its connection.

import type { Server } from "node:http";
import type { TrafficCounts } from "../contract/observed.ts";
import type { Connection } from "./connections.ts";

export interface Traffic {
	watch(server: Server): void;
	/** A connection was closed because its address has too many. */
	refuse(): void;
	read(): TrafficCounts;
}

export function createTraffic(): Traffic {
	const open = new Set<Connection>();
	const refused = { address_limit: 0, total_limit: 0 };
	const closed = { received: 0, sent: 0 };
	let accepted = 0;
	return {
		watch(server) {
			server.on("connection", (socket: Connection) => {
				accepted++;
				open.add(socket);
				socket.once("close", () => {
					open.delete(socket);
					closed.received += socket.bytesRead;
					closed.sent += socket.bytesWritten;
				});
			});
			server.on("drop", () => refused.total_limit++);
		},
		refuse: () => void refused.address_limit++,
		read() {
			const now = {
				requestsInFlight: 0,
				connections: open.size,
				connectionsAccepted: accepted,
				connectionsRefused: { ...refused },
				receivedBytes: closed.received,
				sentBytes: closed.sent,
			};
			for (const { requestsInFlight = 0, bytesRead, bytesWritten } of open) {
				now.requestsInFlight += requestsInFlight;
				now.receivedBytes += bytesRead;
				now.sentBytes += bytesWritten;
			}
			return now;
		},
	};
}
