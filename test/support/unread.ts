// Replies that a client does not take.

import type { Socket } from "node:net";
import type { TestService } from "./service.ts";
import { until } from "./until.ts";

/** Sends a request again and again, until the kernel has no room for the reply. @returns how many were sent */
export async function fillKernel({ traffic }: TestService, socket: Socket, request: string): Promise<number> {
	for (let sent = 1; ; sent++) {
		const { sentBytes } = traffic();
		socket.pause().write(request);
		await until("a reply", () => traffic().sentBytes > sentBytes, { everyMs: 1 });
		let looks = 0;
		await until("the kernel to take it, or not", () => traffic().requestsInFlight === 0 || ++looks > 10, {
			everyMs: 20,
		});
		if (traffic().requestsInFlight > 0) return sent;
	}
}
