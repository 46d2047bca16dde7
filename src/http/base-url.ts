// The base address of the links in replies: BASE_URL, or what a trusted proxy says, or the Host of the request.

import type { IncomingMessage } from "node:http";
import type { Logger } from "pino";
import { isForwarded, readForwarded } from "./forwarded.ts";
import { type IsTrustedProxy, parseTrustedProxies } from "./trusted-proxies.ts";

export interface LinkOptions {
	/** The configured base address, if any; it ends with `/v1`. */
	baseUrl: string | undefined;
	/** Undefined if no proxy is trusted. */
	isTrustedProxy?: IsTrustedProxy | undefined;
}

/** The base address as the caller of a request can reach it. @throws ApiError `malformed_request` (forwarded.ts) */
export type BaseUrlOf = (request: IncomingMessage) => string;

/** The first forwarded header that is ignored logs a hint. Without TRUST_PROXY, the headers are not read after it. */
export function createBaseUrlOf({ baseUrl, isTrustedProxy, log }: LinkOptions & { log: Logger }): BaseUrlOf {
	if (baseUrl !== undefined) return () => baseUrl;
	let isHintDue = true;
	return (request) => {
		if ((isHintDue || isTrustedProxy) && isForwarded(request.headers)) {
			const peer = request.socket.remoteAddress ?? "";
			if (isTrustedProxy?.(peer)) {
				const { proto = "http", host = hostOf(request) } = readForwarded(request.headers, isTrustedProxy);
				return `${proto}://${host}/v1`;
			}
			if (isHintDue) log.warn({ peer }, ignoredHint);
			isHintDue = false;
		}
		return `http://${hostOf(request)}/v1`;
	};
}

const ignoredHint =
	"the Forwarded and X-Forwarded-* headers of this peer are ignored: if it is your proxy, add its address to " +
	"TRUST_PROXY (loopback for this machine), or set BASE_URL";

const isLoopback = parseTrustedProxies("loopback");

/** The warning at the start if clients may get links with the wrong scheme. @param address of the public port */
export function linkWarning({ baseUrl, isTrustedProxy }: LinkOptions, address: string): string | undefined {
	if (baseUrl !== undefined || isTrustedProxy || isLoopback?.(address)) return undefined;
	return (
		"links in replies begin with http:// and the request's Host, also behind a proxy with TLS: set BASE_URL, or " +
		"TRUST_PROXY to the addresses of the proxy"
	);
}

/** HTTP/1.0 may omit the Host header. */
function hostOf({ headers, socket }: IncomingMessage): string {
	return headers.host ?? `${socket.localAddress}:${socket.localPort}`;
}
