// A client that uses the whole interface over one https address, and follows every link: none may lead elsewhere.

import assert from "node:assert/strict";
import { type RequestOptions, request } from "node:https";
import { text } from "node:stream/consumers";
import { within } from "./until.ts";

export interface HttpsClient {
	/** The address that clients know, such as `https://localhost:8443`. */
	url: string;
	/** The root certificate. */
	ca: string;
	key: string;
	/** Sent with every request. */
	headers?: Record<string, string>;
}

export interface HttpsReply {
	status: number;
	headers: Record<string, string>;
	body: string;
}

/** Sends a request to 127.0.0.1. @throws AssertionError unless the URL begins with the client's address */
export async function send(
	client: HttpsClient,
	url: string,
	{ method = "GET", body }: { method?: string; body?: object } = {},
): Promise<HttpsReply> {
	assert.ok(url.startsWith(`${client.url}/`), `a link leads from ${client.url} to ${url}`);
	const { host, hostname, port, pathname, search } = new URL(url);
	const json = body && JSON.stringify(body);
	const options: RequestOptions = {
		...{ method, host: "127.0.0.1", port, servername: hostname, path: pathname + search, ca: client.ca },
		headers: {
			host,
			authorization: `Bearer ${client.key}`,
			...client.headers,
			...(json !== undefined && { "content-type": "application/json", "content-length": Buffer.byteLength(json) }),
		},
	};
	const reply = new Promise<HttpsReply>((resolve, reject) => {
		const sent = request(options, (response) => {
			const headers = Object.fromEntries(
				Object.entries(response.headers).map(([name, value]) => [name, String(value)]),
			);
			text(response).then((body) => resolve({ status: response.statusCode ?? 0, headers, body }), reject);
		});
		sent.on("error", reject).end(json);
	});
	return within(`a reply from ${url}`, reply);
}

/** The links of a reply by their relation. */
function linksOf({ headers }: Pick<HttpsReply, "headers">): Map<string, string> {
	const found = (headers["link"] ?? "").matchAll(/<([^>]+)>; rel="([\w-]+)"/g);
	return new Map([...found].map(([, url = "", rel = ""]) => [rel, url]));
}

/**
 * Creates animals and gets each from its Location, then reads all pages, and opens every link on the way.
 * @throws AssertionError if a link leads elsewhere or does not work
 */
export async function walkOverHttps(client: HttpsClient, animals = 6): Promise<{ animals: number; links: number }> {
	const followed = new Set<string>();
	async function follow(url: string): Promise<HttpsReply> {
		followed.add(url);
		const reply = await send(client, url);
		assert.equal(reply.status, 200, `${url}: ${reply.body.slice(0, 300)}`);
		for (const link of linksOf(reply).values()) if (!followed.has(link)) await follow(link);
		return reply;
	}
	const made: string[] = [];
	for (let count = 0; count < animals; count++) {
		const body = { name: `n${count}`, categoryId: 1 };
		const { status, headers, body: pet } = await send(client, `${client.url}/v1/pets`, { method: "POST", body });
		assert.equal(status, 201, pet);
		assert.equal((await follow(headers["location"] ?? "")).body, pet);
		made.push(pet);
	}
	const listed: string[] = [];
	let page = await follow(`${client.url}/v1/pets?limit=5`);
	for (let next: string | undefined; ; page = await send(client, next)) {
		listed.push(...page.body.slice(1, -1).split(/(?<=\}),/));
		next = linksOf(page).get("next");
		if (next === undefined) break;
	}
	assert.deepEqual(listed.slice(-animals), made);
	return { animals, links: followed.size };
}

/** Headers with which a client may try to change links, with the address of a trusted proxy. */
export const spoofedHeaders: Record<string, string>[] = [
	{ "x-forwarded-proto": "http", "x-forwarded-host": "evil.example", "x-forwarded-for": "127.0.0.1" },
	{ "x-forwarded-proto": "http, http", "x-forwarded-host": "evil.example, evil.example" },
	{ "x-forwarded-for": "127.0.0.1, 127.0.0.1, 127.0.0.1" },
	{ forwarded: "for=127.0.0.1;proto=http;host=evil.example" },
	{ forwarded: "for=127.0.0.1;proto=http;host=evil.example, for=127.0.0.1;proto=http;host=evil.example" },
	{ forwarded: "proto=http", "x-forwarded-host": "evil.example" },
];
