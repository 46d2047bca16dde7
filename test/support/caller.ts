// Requests to a service, each over a separate connection unless an agent is given. `send` of a test's service
// (service.ts) mixes requests of other callers in; wire.ts sends bytes that no HTTP client sends.

import { type Agent, request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
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
	const request = new URL(url).protocol === "https:" ? requestHttps : requestHttp;
	return new Promise((resolve, reject) => {
		const sent = request(url, { ...options, headers: { ...own, ...headers } }, (reply) => {
			const { statusCode: status = 0, headers } = reply;
			text(reply).then((body) => resolve({ status, headers: headers as Reply["headers"], body }), reject);
		});
		sent.on("error", reject).end(bytes);
	});
}

const plain = { name: "a", categoryId: 1 };

export function callerOf(url: string, key: string) {
	return {
		get: (path = "/v1/pets", headers: Record<string, string> = {}) => ask(new URL(path, url), { key, headers }),
		/** @param idempotencyKey without it, the create has no Idempotency-Key */
		create: (pet: object = plain, idempotencyKey?: string) => {
			const headers: Ask["headers"] = idempotencyKey === undefined ? {} : { "idempotency-key": idempotencyKey };
			return ask(new URL("/v1/pets", url), { key, headers, body: pet });
		},
		post: (path: string, body: object) => ask(new URL(path, url), { key, body }),
	};
}

export type Caller = ReturnType<typeof callerOf>;

export function linksOf({ headers }: Pick<Reply, "headers">): Record<string, string> {
	const found = (headers["link"] ?? "").matchAll(/<([^>]+)>; rel="([\w-]+)"/g);
	return Object.fromEntries([...found].map(([, url, rel]) => [rel, url]));
}

export const pathOf = (url: string) => url.replace(/^https?:\/\/[^/]+/, "");

export function linkOf(reply: Reply, rel = "next"): string | undefined {
	const url = linksOf(reply)[rel];
	return url && pathOf(url);
}
