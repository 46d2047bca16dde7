// What trusted proxies say about the request that they forward: X-Forwarded-Proto and X-Forwarded-Host, or Forwarded
// (RFC 7239).

import type { IncomingHttpHeaders } from "node:http";
import { ApiError } from "../contract/errors.ts";
import { isHost } from "./framing.ts";
import type { IsTrustedProxy } from "./trusted-proxies.ts";

/** The scheme and the host that the client used, as far as the proxies name them. */
export interface ForwardedOrigin {
	proto?: string | undefined;
	host?: string | undefined;
}

/** Whether a proxy, or a client that pretends to be one, added any of these headers. */
export function isForwarded(headers: IncomingHttpHeaders): boolean {
	return (
		headers["x-forwarded-for"] !== undefined ||
		headers["x-forwarded-proto"] !== undefined ||
		headers["x-forwarded-host"] !== undefined ||
		headers.forwarded !== undefined
	);
}

/**
 * Reads the headers of a request that came from a trusted proxy. Most proxies set X-Forwarded-* and pass on the
 * client's own Forwarded, so Forwarded counts only if there is neither X-Forwarded-Proto nor X-Forwarded-Host.
 * @throws ApiError `malformed_request`: any fallback would put another scheme or host into links unnoticed
 */
export function readForwarded(headers: IncomingHttpHeaders, isTrustedProxy: IsTrustedProxy): ForwardedOrigin {
	const [proto, host] = [lastOf(headers["x-forwarded-proto"]), lastOf(headers["x-forwarded-host"])];
	const isX = proto !== undefined || host !== undefined;
	const origin = isX ? { proto, host } : readElements(headers.forwarded ?? "", isTrustedProxy);
	if (origin.proto !== undefined && !/^https?$/i.test(origin.proto)) throw invalid("name the scheme http or https");
	if (origin.host !== undefined && !isHost(origin.host)) throw invalid("name a valid host");
	return { proto: origin.proto?.toLowerCase(), host: origin.host };
}

/**
 * The nearest proxy wrote or kept the last element. It is the only one that a client cannot have sent: proxies do not
 * agree on which of these headers they append to, so nothing shows how far the trusted elements reach.
 */
function lastOf(header: string | string[] | undefined): string | undefined {
	const text = String(header ?? "");
	return text === "" ? undefined : text.slice(text.lastIndexOf(",") + 1).trim();
}

type Element = Map<string, string>;

/** From the last element, which the nearest proxy added, to the last one whose writer is trusted. */
function readElements(header: string, isTrustedProxy: IsTrustedProxy): ForwardedOrigin {
	const origin: ForwardedOrigin = {};
	for (const element of parseElements(header).reverse()) {
		origin.proto = element.get("proto") ?? origin.proto;
		origin.host = element.get("host") ?? origin.host;
		// The peer of this element's writer, who wrote the element before it.
		if (!isTrustedProxy(addressOf(element.get("for") ?? ""))) break;
	}
	return origin;
}

/** A pair of RFC 7239 §4, if any, and what ends it. Many proxies do not quote ports and brackets. */
const part = /[ \t]*(?:([!#$%&'*+.^`|~\w-]+)=(?:([!#$%&'*+.^`|~\w:[\]-]+)|"((?:[^"\\]|\\.)*)")[ \t]*)?([;,]|$)/y;

/** @throws ApiError `malformed_request`: after a syntax error, it is not known who wrote what */
function parseElements(header: string): Element[] {
	const elements: Element[] = [];
	let element: Element = new Map();
	part.lastIndex = 0;
	for (let end: string | undefined; end !== ""; ) {
		const [matched, name, token, quoted, separator] = part.exec(header) ?? [];
		if (matched === undefined) throw invalid("follow the syntax of Forwarded (RFC 7239)");
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
