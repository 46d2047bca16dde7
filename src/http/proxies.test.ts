// Which part of the headers of proxies counts, and which part a client may have written; which peers TRUST_PROXY
// names; the address of a peer as it is logged and counted.

import assert from "node:assert/strict";
import type { Socket } from "node:net";
import { test } from "node:test";
import { readConfig } from "../config.ts";
import { ApiError } from "../contract/errors.ts";
import { clientAddressOf, isForwarded, parseTrustedProxies, readForwarded } from "./proxies.ts";

function assertOrigins(rows: [headers: Record<string, string>, proto?: string, host?: string][]): void {
	for (const [headers, proto, host] of rows) {
		const origin = readForwarded(headers);
		assert.deepEqual([origin.proto, origin.host], [proto, host], JSON.stringify(headers));
		assert.ok(isForwarded(headers), JSON.stringify(headers));
	}
}

test("the last element of X-Forwarded-Proto and X-Forwarded-Host counts, which a client cannot have sent", () => {
	const [proto, host, from] = ["x-forwarded-proto", "x-forwarded-host", "x-forwarded-for"];
	assertOrigins([
		[{ [proto]: "https" }, "https"],
		[{ [proto]: "HTTP" }, "http"],
		[{ [host]: "pets.example:8443" }, undefined, "pets.example:8443"],
		[{ [proto]: "https", [host]: "[2001:db8::1]:8443" }, "https", "[2001:db8::1]:8443"],
		[{ [proto]: "http, https", [host]: "evil.example, pets.example" }, "https", "pets.example"],
		[{ [proto]: "ftp,https", [host]: "a b,pets.example" }, "https", "pets.example"],
		[{ [proto]: "https \t", [host]: ",\tpets.example" }, "https", "pets.example"],
		// The number of trusted proxies in X-Forwarded-For does not matter.
		[{ [proto]: "http, https", [from]: "10.0.0.2, 10.0.0.1" }, "https"],
		[{ [from]: "192.0.2.1" }],
		[{ [proto]: "", [host]: "", [from]: "" }],
	]);
});

test("forwarded headers that name no scheme or host are refused", () => {
	const hosts = ["a b", "evil.example/path", "user@evil.example", "a:99999", "[::1", "[1]", "a\tb", "é", "a>; rel=x"];
	const rows = [
		...["ftp", "https:", "https, ", ",", "wss", "ht tps", "xhttp"].map((value) => ({ "x-forwarded-proto": value })),
		...["pets.example,", ...hosts].map((value) => ({ "x-forwarded-host": value })),
	];
	for (const headers of rows) {
		const isRefusal = (error: unknown) => error instanceof ApiError && error.code === "malformed_request";
		assert.throws(() => readForwarded(headers), isRefusal, JSON.stringify(headers).slice(0, 100));
	}
});

test("TRUST_PROXY names addresses and networks, in either notation of an IPv4 peer, and nothing else", () => {
	const rows: [setting: string, trusted: string[], others: string[]][] = [
		["loopback", ["127.0.0.1", "127.9.9.9", "::1", "::ffff:127.0.0.1"], ["128.0.0.1", "::2", "10.0.0.1"]],
		["linklocal", ["169.254.1.2", "fe80::1", "febf::1", "fe80::1%eth0"], ["169.253.1.2", "fec0::1"]],
		[
			"uniquelocal",
			["10.1.2.3", "172.31.0.1", "192.168.9.9", "fd00::1"],
			["172.15.0.1", "172.32.0.1", "192.169.0.1", "fe00::1"],
		],
		["192.0.2.7", ["192.0.2.7", "::ffff:192.0.2.7"], ["192.0.2.8", "192.0.2.70"]],
		["192.0.2.0/25, 2001:DB8::/32", ["192.0.2.127", "2001:db8:1::1"], ["192.0.2.128", "2001:db9::1"]],
		["2001:db8::7,loopback", ["2001:db8::7", "127.0.0.1"], ["2001:db8::8"]],
	];
	for (const [setting, trusted, others] of rows) {
		const isTrusted = parseTrustedProxies(setting);
		for (const address of trusted) assert.equal(isTrusted?.(address), true, `${setting}: ${address}`);
		for (const address of [...others, "", "unknown", "localhost", "_hidden"])
			assert.equal(isTrusted?.(address), false, `${setting}: ${address}`);
	}
});

test("TRUST_PROXY is not a count of proxies, a host name, everybody or a malformed network", () => {
	for (const setting of [
		...["1", "true", "*", "localhost", "nginx", "Loopback", "constructor", ",", "loopback,", ",loopback"],
		...["192.0.2", "192.0.2.256", "192.0.2.0/33", "192.0.2.0/0", "0.0.0.0/0", "::/0", "192.0.2.0/", "192.0.2.0/x"],
		...[
			"192.0.2.0/255.255.255.0",
			"::1/129",
			"[::1]",
			"192.0.2.1:80",
			"loopback/8",
			"10.0.0.0/08",
			"10.0.0.1 10.0.0.2",
		],
	]) {
		assert.equal(parseTrustedProxies(setting), undefined, setting);
		assert.throws(() => readConfig({ TRUST_PROXY: setting }), /^Error: TRUST_PROXY must be addresses /, setting);
	}
});

test("an IPv4 address that is mapped into IPv6 is shown as itself, and any other address unchanged", () => {
	for (const [peer, shown] of [
		["::ffff:192.0.2.1", "192.0.2.1"],
		["192.0.2.1", "192.0.2.1"],
		["2001:db8::ffff:1:2", "2001:db8::ffff:1:2"],
		[undefined, ""],
	]) {
		const socket = { remoteAddress: peer } as Socket;
		assert.equal(clientAddressOf({ headers: {}, socket }), shown);
	}
});
