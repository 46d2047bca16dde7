// A failure after the reply has begun.

import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { createErrorHandler } from "./errors.ts";
import { Exchange } from "./exchange.ts";

test("a failure after the headers of a reply is logged and cuts the reply off", async (context) => {
	const lines: object[] = [];
	const sendError = createErrorHandler({ error: (fields) => void lines.push(fields) });
	const server = createServer((received, response) => {
		const arrival = { id: "r1", trace: undefined, clientAddress: undefined };
		const exchange = new Exchange(received, response, arrival, { fields: [], isStopping: () => false });
		response.writeHead(200, { "content-length": "10" }).write("12345", () => sendError(exchange, new Error("bug")));
	});
	await once(server.listen(0, "127.0.0.1"), "listening");
	context.after(() => server.close());
	const [reply] = await once(request({ port: (server.address() as AddressInfo).port }).end(), "response");
	await assert.rejects(reply.toArray(), { code: "ECONNRESET" });
	assert.equal(lines.length, 1);
	assert.partialDeepStrictEqual(lines[0], { requestId: "r1", err: new Error("bug") });
});
