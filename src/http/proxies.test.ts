// Which peers TRUST_PROXY trusts, and which hosts are valid.

import assert from "node:assert/strict";
import type { IncomingMessage } from "node:http";
import { test } from "node:test";
import { readConfig } from "../config.ts";
import { createBaseUrlOf, isHost, parseTrustedProxies } from "./proxies.ts";

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
		...["192.0.2.0/255.255.255.0", "::1/129", "[::1]", "192.0.2.1:80", "loopback/8"],
		...["10.0.0.0/08", "10.0.0.1 10.0.0.2"],
	]) {
		assert.equal(parseTrustedProxies(setting), undefined, setting);
		assert.throws(() => readConfig({ TRUST_PROXY: setting }), /^Error: TRUST_PROXY must be addresses /, setting);
	}
});

test("a host has a valid name and port, each time that it is asked", () => {
	for (const [host, isValid] of [
		["animals.example:65535", true],
		["animals.example:65536", false],
		["[::1]:80", true],
		["[::1", false],
		["a b", false],
		["animals.example", true],
	] as const)
		for (const time of [1, 2]) assert.equal(isHost(host), isValid, `${host}, time ${time}`);
});

test("without a Host, links name the address of the socket, an IPv6 address in brackets", () => {
	const baseUrlOf = createBaseUrlOf({ baseUrl: undefined, log: { warn() {} } });
	for (const localAddress of ["127.0.0.1", "::1"]) {
		const request = { headers: {}, socket: { localAddress, localPort: 80 } } as IncomingMessage;
		assert.equal(baseUrlOf(request), `http://${localAddress.replace("::1", "[::1]")}:80/v1`);
	}
});
