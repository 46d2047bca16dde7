// Requests to a service, each over a connection of its own unless an agent is given. `send` of a test's service
// (service.ts) mixes others in; bytes that no HTTP client sends are in wire.ts.

import assert from "node:assert/strict";
import { type Agent, request } from "node:http";
import { text } from "node:stream/consumers";
import type { Reply } from "./wire.ts";

export interface Ask {
	/** POST by default if there is a body. */
	method?: string;
	key?: string;
	headers?: Record<string, string>;
	/** An object is sent as JSON. */
	body?: string | object;
	agent?: Agent;
}

/** Sends a request. @throws Node's error if the connection fails before the reply is complete */
export function ask(url: string | URL, { method, key, headers, body, agent }: Ask = {}): Promise<Reply> {
	const bytes = typeof body === "object" ? JSON.stringify(body) : body;
	const own = {
		...(key !== undefined && { authorization: `Bearer ${key}` }),
		...(bytes !== undefined && { "content-type": "application/json", "content-length": Buffer.byteLength(bytes) }),
	};
	const options = { method: method ?? (bytes === undefined ? "GET" : "POST"), agent: agent ?? false };
	return new Promise((resolve, reject) => {
		const sent = request(url, { ...options, headers: { ...own, ...headers } }, (reply) => {
			const { statusCode: status = 0, headers } = reply;
			text(reply).then((body) => resolve({ status, headers: headers as Reply["headers"], body }), reject);
		});
		sent.on("error", reject).end(bytes);
	});
}

const plain = { name: "a", categoryId: 1 };

/** Requests with a key to the service at a URL. */
export function callerOf(url: string, key: string) {
	return {
		get: (path = "/v1/pets", headers: Record<string, string> = {}) => ask(new URL(path, url), { key, headers }),
		/** @param idempotencyKey none if absent */
		create: (pet: object = plain, idempotencyKey?: string) => {
			const headers: Ask["headers"] = idempotencyKey === undefined ? {} : { "idempotency-key": idempotencyKey };
			return ask(new URL("/v1/pets", url), { key, headers, body: pet });
		},
		post: (path: string, body: object) => ask(new URL(path, url), { key, body }),
	};
}

export type Caller = ReturnType<typeof callerOf>;

/** The path of the page that a reply links to. */
export function linkOf({ headers }: Reply, rel = "next"): string | undefined {
	return new RegExp(`<https?://[^/]+(/[^>]*)>; rel="${rel}"`).exec(headers["link"] ?? "")?.[1];
}

/** Asserts that a create on one node is visible on another, and that a third one replays it. @returns its id */
export async function createAndRepeat(here: Caller, there: Caller, elsewhere: Caller, key: string): Promise<number> {
	const created = await here.create(plain, key);
	assert.equal(created.status, 201);
	const { id } = JSON.parse(created.body);
	assert.equal((await there.get(`/v1/pets/${id}`)).status, 200, "the create is visible");
	const again = await elsewhere.create(plain, key);
	assert.deepEqual([again.headers["idempotency-replayed"], JSON.parse(again.body)], ["true", { id, ...plain }]);
	return id;
}
