// A proxy in front of a service, for tests of its clients: it counts creates and imports, and may hold them, refuse them
// or lose their replies. The service behind it can be replaced; the address of the gate stays.

import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import type { TestContext } from "node:test";
import { listenFor } from "./listen.ts";

export interface Gate {
	url: string;
	/** Where requests go now. */
	target: string;
	/** Creates so far. */
	creates: number;
	/** Called before the n-th create, which is forwarded when this resolves. */
	onCreate: (n: number) => Promise<void> | void;
	/** Whether the n-th create gets 503, or this status, and is not forwarded. */
	refuses: (n: number) => boolean | number;
	/** Whether the reply to the n-th create is lost if it was stored. */
	loses: (n: number) => boolean;
	/** Creates without a reply so far. */
	waiting: number;
}

export async function openGate(context: TestContext, target: string): Promise<Gate> {
	const gate: Gate = {
		url: "",
		target,
		creates: 0,
		waiting: 0,
		onCreate: () => {},
		refuses: () => false,
		loses: () => false,
	};
	const server = createServer(async (incoming, outgoing) => {
		let isLost = false;
		if (incoming.method === "POST") {
			gate.waiting++;
			outgoing.on("close", () => gate.waiting--);
			const n = ++gate.creates;
			await gate.onCreate(n);
			const refusal = gate.refuses(n);
			const status = refusal === true ? 503 : refusal;
			if (status) return void outgoing.writeHead(status, { "retry-after": "0" }).end();
			isLost = gate.loses(n);
		}
		pass(gate.target, incoming, outgoing, isLost);
	});
	gate.url = `http://127.0.0.1:${await listenFor(context, server)}`;
	return gate;
}

/** Forwards a request; if the service has ended, the client's connection breaks. */
function pass(target: string, incoming: IncomingMessage, outgoing: ServerResponse, isLost: boolean): void {
	const { method, url, headers } = incoming;
	const inner = request(target + url, { method, headers }, (reply) => {
		if (isLost && (reply.statusCode ?? 0) < 300) return void outgoing.destroy();
		outgoing.writeHead(reply.statusCode ?? 500, reply.headers);
		reply.on("error", () => outgoing.destroy()).pipe(outgoing);
	});
	inner.on("error", () => outgoing.destroy());
	incoming.pipe(inner);
}
