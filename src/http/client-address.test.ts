// The address of a peer as it is logged and counted.

import assert from "node:assert/strict";
import type { Socket } from "node:net";
import { test } from "node:test";
import { clientAddressOf } from "./client-address.ts";

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
