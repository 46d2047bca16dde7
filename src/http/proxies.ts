// Proxies: the trusted peers, the trusted part of the headers that they send (X-Forwarded-* and Forwarded, RFC 7239),
// and its use: the base address of the links in replies, and the address of a client.

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

/** Reads `loopback,192.0.2.7,2001:db8::/32`; undefined for anything else. A prefix of 0 would trust everybody. */
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

const forwardedNames = ["x-forwarded-for", "x-forwarded-proto", "x-forwarded-host", "forwarded"];

/** Whether a proxy, or a client that pretends to be one, added any of these headers. */
export function isForwarded(headers: IncomingHttpHeaders): boolean {
	return forwardedNames.some((name) => headers[name] !== undefined);
}

/**
 * The scheme and the host that the client used, as far as a trusted proxy names them. Most proxies set X-Forwarded-*
 * and pass on the client's own Forwarded, so Forwarded counts only without X-Forwarded-Proto and X-Forwarded-Host.
 * @throws ApiError `malformed_request`: any fallback would put another scheme or host into links unnoticed
 */
export function readForwarded(headers: IncomingHttpHeaders, isTrustedProxy: IsTrustedProxy) {
	const [proto, host] = [lastOf(headers["x-forwarded-proto"]), lastOf(headers["x-forwarded-host"])];
	const isX = proto !== undefined || host !== undefined;
	const origin = isX ? { proto, host } : readElements(headers.forwarded ?? "", isTrustedProxy);
	if (origin.proto !== undefined && !/^https?$/i.test(origin.proto)) throw invalid("name the scheme http or https");
	if (origin.host !== undefined && !isHost(origin.host)) throw invalid("name a valid host");
	return { proto: origin.proto?.toLowerCase(), host: origin.host };
}

/**
 * Only the last element cannot be a client's: the nearest proxy wrote or kept it. Proxies append to different ones of
 * these headers, so nothing shows how far the trusted elements reach.
 */
function lastOf(header: string | string[] | undefined): string | undefined {
	const text = String(header ?? "");
	return text === "" ? undefined : text.slice(text.lastIndexOf(",") + 1).trim();
}

/** Reads from the last element, which the nearest proxy added, to the last one whose writer is trusted. */
function readElements(header: string, isTrustedProxy: IsTrustedProxy) {
	const origin: { proto?: string | undefined; host?: string | undefined } = {};
	for (const element of parseElements(header).reverse()) {
		origin.proto = element.get("proto") ?? origin.proto;
		origin.host = element.get("host") ?? origin.host;
		// The peer of this element's writer wrote the element before it.
		if (!isTrustedProxy(addressOf(element.get("for") ?? ""))) break;
	}
	return origin;
}

/** A pair of RFC 7239 §4, if any, and its end. Many proxies do not quote ports and brackets. */
const part = /[ \t]*(?:([!#$%&'*+.^`|~\w-]+)=(?:([!#$%&'*+.^`|~\w:[\]-]+)|"((?:[^"\\]|\\.)*)")[ \t]*)?([;,]|$)/gy;

/** @throws ApiError `malformed_request`: after a syntax error, it is not known who wrote what */
function parseElements(header: string): Map<string, string>[] {
	const elements: Map<string, string>[] = [];
	let element = new Map<string, string>();
	let end: string | undefined;
	for (const [, name, token, quoted, separator] of header.matchAll(part)) {
		end = separator;
		if (name !== undefined) {
			const parameter = name.toLowerCase();
			if (element.has(parameter)) throw invalid("have each parameter of Forwarded once in an element");
			element.set(parameter, token ?? quoted?.replace(/\\(.)/g, "$1") ?? "");
		}
		if (end === ";") continue;
		if (element.size > 0) elements.push(element);
		element = new Map();
	}
	if (end !== "") throw invalid("follow the syntax of Forwarded (RFC 7239)");
	return elements;
}

/** The address of a node (RFC 7239 §6) without brackets and port; "" for an unknown or obfuscated one. */
function addressOf(node: string): string {
	const [, version6, version4] = /^(?:\[([^\]]*)\]|([\d.]+))(?::[\w.-]+)?$/.exec(node) ?? [];
	return version6 ?? version4 ?? "";
}

function invalid(rule: string): ApiError {
	return new ApiError("malformed_request", `the forwarded headers of the proxy must ${rule}: fix the proxy`);
}

export interface LinkOptions {
	/** The configured base address, if any; it ends with `/v1`. */
	baseUrl: string | undefined;
	isTrustedProxy?: IsTrustedProxy | undefined;
}

/** The base address as the caller of a request can reach it. @throws ApiError `malformed_request` */
export type BaseUrlOf = (request: IncomingMessage) => string;

/** Logs a hint when it first ignores a forwarded header. Without TRUST_PROXY, it then reads none. */
export function createBaseUrlOf({ baseUrl, isTrustedProxy, log }: LinkOptions & { log: Pick<Log, "warn"> }): BaseUrlOf {
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

/** The warning at the start if clients may get links with the wrong scheme. @param address of the public port */
export function linkWarning({ baseUrl, isTrustedProxy }: LinkOptions, address: string): string | undefined {
	if (baseUrl !== undefined || isTrustedProxy || parseTrustedProxies("loopback")?.(address)) return undefined;
	const links = "links in replies begin with http:// and the request's Host, also behind a proxy with TLS";
	return `${links}: set BASE_URL, or TRUST_PROXY to the addresses of the proxy`;
}

/** The last valid Host. Nearly every request has the same one, and comparing costs less than the pattern. */
let lastHost: string | undefined;

/** A name, an IPv4 address or an IPv6 address in brackets, with an optional port (RFC 3986 §3.2.2). */
export function isHost(text: string): boolean {
	if (text === lastHost) return true;
	const [, name, address = "", port = ""] = /^(?:([\w.~-]+)|\[([\d:.a-f]+)\])(?::(\d{0,5}))?$/i.exec(text) ?? [];
	const isValid = (name !== undefined || isIPv6(address)) && Number(port) <= 65535;
	if (isValid) lastHost = text;
	return isValid;
}

/** HTTP/1.0 may omit the Host header. */
function hostOf({ headers, socket }: IncomingMessage): string {
	return headers.host ?? `${socket.localAddress}:${socket.localPort}`;
}

/**
 * The address of a request's client: the peer's, or, behind trusted proxies, the last one of X-Forwarded-For or of
 * Forwarded that is not a trusted proxy's. A client can have sent those before it.
 */
export function clientAddressOf(
	{ headers, socket }: Pick<IncomingMessage, "headers" | "socket">,
	isTrustedProxy?: IsTrustedProxy,
): string {
	const peer = (socket.remoteAddress ?? "").replace(/^::ffff:/, "");
	if (!isTrustedProxy?.(peer)) return peer;
	const address = addressesOf(headers).findLast((one) => !isTrustedProxy(one)) ?? "";
	return isIP(address) === 0 ? peer : address;
}

/** The addresses in the order of the proxies that added them; none of a malformed Forwarded. */
function addressesOf({ "x-forwarded-for": list, forwarded = "" }: IncomingHttpHeaders): string[] {
	if (list !== undefined) {
		const nodes = String(list).split(",");
		return nodes.map((text) => text.trim()).map((node) => (isIPv6(node) ? node : addressOf(node)));
	}
	try {
		return parseElements(forwarded).map((element) => addressOf(element.get("for") ?? ""));
	} catch {
		return [];
	}
}
