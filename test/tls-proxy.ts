// A small proxy that terminates TLS, as an operator puts one in front of the service.

import { type IncomingHttpHeaders, request } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { certificate } from "./certificate.ts";
import { within } from "./until.ts";

/** The headers that the service gets for those of the client. */
export type HeaderRule = (headers: IncomingHttpHeaders) => IncomingHttpHeaders;

/** @returns its https address and its root certificate */
export async function startTlsProxy(
	context: { after(cleanUp: () => void): void },
	servicePort: number,
	rule: HeaderRule,
): Promise<{ url: string; ca: string }> {
	const { cert, private: key } = await certificate();
	const server = createServer({ cert, key }, (incoming, reply) => {
		const { method, url: path, headers } = incoming;
		const options = { host: "127.0.0.1", port: servicePort, method, path, headers: rule(headers) };
		const outgoing = request(options, (answer) => {
			reply.writeHead(answer.statusCode ?? 502, answer.headers);
			answer.pipe(reply);
		});
		outgoing.on("error", () => reply.destroy());
		incoming.pipe(outgoing);
	});
	const listening = new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	await within("the TLS proxy to listen", listening);
	context.after(() => {
		server.closeAllConnections();
		server.close();
	});
	return { url: `https://localhost:${(server.address() as AddressInfo).port}`, ca: cert };
}
