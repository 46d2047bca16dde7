// The scenarios of the benchmark: the load of each scenario, and the check of the replies.

import assert from "node:assert/strict";
import { keyFromRandom } from "../src/keys/formats.ts";
import { createBody, type Load, nextRequest } from "./load.ts";
import { ask, type Reply } from "./reply.ts";
import type { Server } from "./servers.ts";

export interface Scenario {
	name: string;
	/** The status of replies to GETs, 200 if absent. */
	status?: number;
	/** The number of animals in a correct list. */
	animals?: number;
	/** Uses a separate store, whose names have 255 characters of four bytes. */
	hasLongNames?: boolean;
	/** How the load differs from a GET of the list. `path` follows `/v1/pets`. */
	load(pages: Pages): Promise<Partial<Load> & { path?: string }>;
}

/** A well-formed key that was never issued. */
const foreignKey = keyFromRandom(Buffer.alloc(32, 7));
const cursorsMax = 10_000;

export const scenarios: Scenario[] = [
	{ name: "list of 20: first page", animals: 20, load: async () => ({}) },
	{
		name: "list of 20: random page",
		animals: 20,
		load: async ({ walk }) => ({ path: "?cursor=CURSOR", cursors: (await walk()).any }),
	},
	{
		name: "list of 20: last page",
		animals: 20,
		load: async ({ walk }) => ({ path: `?cursor=${(await walk()).last}` }),
	},
	{ name: "list of 20: long names", animals: 20, hasLongNames: true, load: async () => ({}) },
	{
		name: "list of 100: filtered",
		animals: 100,
		load: async ({ server }) => ({ path: `?status=sold&limit=100&cursor=${await secondSold(server)}` }),
	},
	{ name: "get: hot", load: async () => ({ path: "/1" }) },
	{ name: "get: one in flight", load: async () => ({ path: "/1", connections: 1 }) },
	{ name: "get: 16 in flight", load: async () => ({ path: "/1", connections: 4, pipelined: 16 }) },
	{ name: "get: random", load: async ({ animals }) => ({ path: "/ID", maxId: animals }) },
	{
		name: "304",
		status: 304,
		load: async ({ server }) => ({ headers: { "if-none-match": (await page(server, "")).headers["etag"] ?? "" } }),
	},
	{ name: "401", status: 401, load: async () => ({ key: foreignKey, isRefused: true }) },
	{
		name: "mix: 90% reads and 10% writes",
		load: async ({ animals }) => ({ path: "/ID", maxId: animals, body: createBody, postShare: 0.1 }),
	},
	{ name: "create", load: async () => ({ body: createBody }) },
];

/** The pages of a server's list. */
export interface Pages {
	server: Server;
	animals: number;
	/** Follows the links once, to find the cursors of the last page and of arbitrary pages. */
	walk(): Promise<{ any: string[]; last: string }>;
}

export function pagesOf(server: Server, animals: number): Pages {
	let walked: ReturnType<Pages["walk"]> | undefined;
	return { server, animals, walk: () => (walked ??= walkAll(server)) };
}

function page({ url, key }: Pick<Server, "url" | "key">, query: string): Promise<Reply> {
	return ask(url, { method: "GET", path: `/v1/pets${query}`, headers: { authorization: `Bearer ${key}` } });
}

function nextCursor({ headers }: Reply): string | undefined {
	const [, url] = /<([^>]+)>; rel="next"/.exec(headers["link"] ?? "") ?? [];
	return (url && new URL(url).searchParams.get("cursor")) || undefined;
}

async function walkAll(server: Server): Promise<{ any: string[]; last: string }> {
	const cursors = await follow(server, "limit=100");
	const ends = await follow(server, "limit=20", cursors.at(-1));
	const step = Math.ceil(cursors.length / cursorsMax);
	return { any: cursors.filter((_, index) => index % step === 0), last: ends.at(-1) ?? "" };
}

/** The cursors of all pages after the page at this cursor. */
async function follow(server: Server, query: string, from?: string): Promise<string[]> {
	const cursors: string[] = [];
	for (let cursor = from, isFirst = true; isFirst || cursor; isFirst = false) {
		cursor = nextCursor(await page(server, `?${query}${cursor ? `&cursor=${cursor}` : ""}`));
		if (cursor) cursors.push(cursor);
	}
	return cursors;
}

async function secondSold(server: Server): Promise<string> {
	return nextCursor(await page(server, "?status=sold&limit=100")) ?? "";
}

/** The load of a scenario for a server. */
export async function loadOf(scenario: Scenario, pages: Pages, seconds: number): Promise<Load> {
	const { path = "", ...own } = await scenario.load(pages);
	const { url, key } = pages.server;
	return { url: `${url}/v1/pets${path}`, key, connections: 64, seconds, ...own };
}

/** Gets one reply for each method of a load. @throws if a reply is wrong */
export async function check(load: Load, scenario: Scenario): Promise<Record<string, Reply>> {
	const replies: Record<string, Reply> = {};
	for (const postShare of load.body === undefined ? [0] : load.postShare ? [0, 1] : [1]) {
		const request = nextRequest({ ...load, postShare });
		const reply = await ask(load.url, request);
		const { status = 200 } = request.method === "POST" ? { status: 201 } : scenario;
		assert.equal(reply.status, status, `${scenario.name}: ${request.method} ${load.url} ${reply.body}`);
		checkBody(scenario, reply);
		replies[request.method] = reply;
	}
	return replies;
}

function checkBody({ animals, hasLongNames, status }: Scenario, { body }: Reply): void {
	const value = body && JSON.parse(body);
	if (status === 304) assert.equal(body, "");
	else if (status === 401) assert.equal(value.status, 401);
	else if (animals) assert.equal(value.length, animals);
	else assert.ok(value.id > 0);
	if (hasLongNames) for (const { name } of value) assert.equal(Buffer.byteLength(name), 255 * 4);
}

/** The expected size of an average reply to the load. */
export function expectedBytes({ GET, POST }: Record<string, Reply>, { postShare = 1 }: Load): number {
	if (!GET || !POST) return (GET ?? POST)?.bytes ?? 0;
	return GET.bytes * (1 - postShare) + POST.bytes * postShare;
}
