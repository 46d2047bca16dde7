// Request ids, and rate limits during clock jumps. test/contract/corpus has each reply with all its headers.

import assert from "node:assert/strict";
import { test } from "node:test";
import { assertFailure, testService } from "../support/service.ts";
import { exchange } from "../support/wire.ts";

test("no two replies of a service have the same request id, including refusals before the app", async (context) => {
	const { send, port } = await testService(context);
	const replies = [];
	for (let count = 0; count < 20; count++) {
		replies.push(await send({ path: "/v1/pets" }));
		replies.push(await send({ path: "*v1" }));
		replies.push(...(await exchange(port, "no HTTP\r\n\r\n")));
	}
	const ids = replies.map(({ headers }) => headers["x-request-id"]);
	assert.ok(!ids.includes(undefined));
	assert.equal(new Set(ids).size, 60);
});

test("a jump of the wall clock by an hour neither extends nor refills a rate limit window", async (context) => {
	const startMs = Date.now();
	context.mock.timers.enable({ apis: ["Date"], now: startMs });
	const { send } = await testService(context, { environment: { RATE_LIMIT: "1/1m" } });
	assert.equal((await send({ path: "/v1/pets" })).status, 200);
	for (const jumpMs of [-3_600_000, 3_600_000]) {
		context.mock.timers.setTime(startMs + jumpMs);
		const reply = await send({ path: "/v1/pets" });
		assertFailure(reply, "rate_limited");
		assert.ok(Number(reply.headers["retry-after"]) <= 60, `Retry-After: ${reply.headers["retry-after"]}`);
		assert.equal(reply.headers["ratelimit"], `"key";r=0;t=${reply.headers["retry-after"]}`);
	}
});
