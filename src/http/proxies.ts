// Knows trusted proxies, and reads the part of their X-Forwarded-* headers that is trusted. This part decides the base
// address of links in replies. Forwarded (RFC 7239) is ignored, as in Express.

import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import { BlockList, isIP, isIPv6 } from "node:net";
import { ApiError } from "../contract/errors.ts";
import type { Log } from "../contract/observed.ts";

/** Whether TRUST_PROXY names the address of a proxy; false for any text that is not an address. */
export type IsTrustedProxy = (address: string) => boolean;

/** Names as in Express. */
const namedNetworks = new Map([
	["loopback", ["127.0.0.0/8", "::1"]],
	["linklocal", ["169.254.0.0/16", "fe80::/10"]],
	["uniquelocal", ["10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "fc00::/7"]],
]);

/** Reads `loopback,192.0.2.7,2001:db8::/32`; undefined for anything else. A prefix of 0 (everybody) is invalid. */
export function parseTrustedProxies(text: string): IsTrustedProxy | undefined {
	const names = text.split(",").map((name) => name.trim());
	const networks = names.flatMap((name) => namedNetworks.get(name) ?? [name]);
	const list = new BlockList();
	for (const network of networks) {
		const [, address = "", prefix] = /^([\d.]+|[\da-f:]+)(?:\/([1-9]\d{0,2}))?$/i.exec(network) ?? [];
		const version = isIP(address);
		const bits = version === 6 ? 128 : 32;
		if (version === 0 || Number(prefix ?? bits) > bits) return undefined;
		list.addSubnet(address, Number(prefix ?? bits), version === 6 ? "ipv6" : "ipv4");
	}
	return (address) => {
		const version = isIP(address);
		return version !== 0 && list.check(address, version === 6 ? "ipv6" : "ipv4");
	};
}

/**
 * The scheme and the host that the client used, as far as a trusted proxy names them. Only the last element of a header
 * is trusted, because the nearest proxy wrote or kept it. Earlier elements are not trusted, because not every proxy
 * appends to every header.
 * @throws ApiError `malformed_request`, because a fallback would silently put a wrong scheme or host into links
 */
function readForwarded(headers: IncomingHttpHeaders) {
	const [proto, host] = [lastOf(headers["x-forwarded-proto"]), lastOf(headers["x-forwarded-host"])];
	if (proto !== undefined && !/^https?$/i.test(proto)) throw invalid("name the scheme http or https");
	if (host !== undefined && !isHost(host)) throw invalid("name a valid host");
	return { proto: proto?.toLowerCase(), host };
}

function lastOf(header: string | string[] | undefined): string | undefined {
	const text = String(header ?? "");
	return text === "" ? undefined : text.slice(text.lastIndexOf(",") + 1).trim();
}

function invalid(rule: string): ApiError {
	return new ApiError("malformed_request", `the forwarded headers of the proxy must ${rule}: fix the proxy`);
}

export interface LinkOptions {
	/** The configured base address, if any; it ends with `/v1`. */
	baseUrl: string | undefined;
	isTrustedProxy?: IsTrustedProxy | undefined;
}

/** The base address at which the caller of a request can reach the service. @throws ApiError `malformed_request` */
export type BaseUrlOf = (request: IncomingMessage) => string;

/** Logs a hint when a forwarded header is ignored for the first time. */
export function createBaseUrlOf({ baseUrl, isTrustedProxy, log }: LinkOptions & { log: Pick<Log, "warn"> }): BaseUrlOf {
	if (baseUrl !== undefined) return () => baseUrl;
	let isHintDue = true;
	return (request) => {
		const { headers, socket } = request;
		// HTTP/1.0 may omit the Host header.
		const own = headers.host ?? hostOf(socket.localAddress, socket.localPort);
		if (isTrustedProxy?.(socket.remoteAddress ?? "")) {
			const { proto = "http", host = own } = readForwarded(headers);
			return `${proto}://${host}/v1`;
		}
		if (isHintDue && (headers["x-forwarded-proto"] ?? headers["x-forwarded-host"]) !== undefined) {
			log.warn({ peer: socket.remoteAddress }, ignoredHint);
			isHintDue = false;
		}
		return `http://${own}/v1`;
	};
}

/** An address and a port as they stand in a URL. */
export const hostOf = (address = "", port?: number) => `${isIPv6(address) ? `[${address}]` : address}:${port}`;

const ignoredHint =
	"the X-Forwarded-* headers of this peer are ignored: if it is your proxy, add its address to " +
	"TRUST_PROXY (loopback for this machine), or set BASE_URL";

/** The warning at the start if links in replies may have the wrong scheme. @param address where the port listens */
export function linkWarning({ baseUrl, isTrustedProxy }: LinkOptions, address: string): string | undefined {
	if (baseUrl !== undefined || isTrustedProxy || parseTrustedProxies("loopback")?.(address)) return undefined;
	const links = "links in replies begin with http:// and the request's Host, even behind a proxy with TLS";
	return `${links}: set BASE_URL, or TRUST_PROXY to the addresses of the proxy`;
}

/** The last valid Host. Nearly every request has the same Host, and comparing is faster than the pattern. */
let lastHost: string | undefined;

/** A name, an IPv4 address or an IPv6 address in brackets, with an optional port (RFC 3986 §3.2.2). */
export function isHost(text: string): boolean {
	if (text === lastHost) return true;
	const [, name, address = "", port = ""] = /^(?:([\w.~-]+)|\[([\d:.a-f]+)\])(?::(\d{0,5}))?$/i.exec(text) ?? [];
	const isValid = (name !== undefined || isIPv6(address)) && Number(port) <= 65535;
	if (isValid) lastHost = text;
	return isValid;
}
