// The address of the client of a request, also behind proxies.

import type { IncomingMessage } from "node:http";
import { isIP } from "node:net";
import type { IsTrustedProxy } from "./trusted-proxies.ts";

/**
 * The peer's address. If the peer is a trusted proxy: the last address of X-Forwarded-For, or of Forwarded, that is no
 * trusted proxy's, because a client can have sent those before it.
 */
export function clientAddressOf(
	{ headers, socket }: Pick<IncomingMessage, "headers" | "socket">,
	isTrustedProxy?: IsTrustedProxy,
): string {
	const peer = (socket.remoteAddress ?? "").replace(/^::ffff:/, "");
	if (!isTrustedProxy?.(peer)) return peer;
	const named = headers["x-forwarded-for"] ?? forsOf(headers.forwarded ?? "");
	for (const text of String(named).split(",").reverse()) {
		const address = addressIn(text);
		if (address === undefined) return peer;
		if (!isTrustedProxy(address)) return address;
	}
	return peer;
}

/** The `for` parameters of RFC 7239, separated by commas. */
function forsOf(forwarded: string): string {
	return forwarded
		.split(",")
		.map((element) => /(?:^|;)\s*for=("[^"]*"|[^;\s]*)/i.exec(element)?.[1] ?? "")
		.join(",");
}

/** An address without quotes, brackets and port. */
function addressIn(text: string): string | undefined {
	const plain = text.trim().replace(/^"(.*)"$/, "$1");
	const [, version6, version4] = /^\[([^\]]*)\](?::\d+)?$|^([\d.]+):\d+$/.exec(plain) ?? [];
	const address = version6 ?? version4 ?? plain;
	return isIP(address) === 0 ? undefined : address;
}
