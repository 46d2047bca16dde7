// A client with a fake `fetch`, without a server and without waits.

import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { AnimalStore, ApiError, type ClientOptions, type Int64Mode, NoReply } from "../../client/src/index.ts";

export const rex = { name: "Rex", categoryId: 1 };

interface Attempt {
	url: string;
	headers: Headers;
	request: RequestInit;
}

/** A client that gets these replies in turn, and then the last reply for every later request. */
export function answered(replies: (Response | Error)[], options: ClientOptions<Int64Mode> = {}) {
	const attempts: Attempt[] = [];
	const send: typeof fetch = async (url, request = {}) => {
		attempts.push({ url: String(url), headers: new Headers(request.headers), request });
		// Stops a client that would retry forever.
		if (attempts.length > 20) return refusal(400);
		const reply = replies.length > 1 ? replies.shift() : replies[0];
		if (!(reply instanceof Response)) throw reply;
		return reply.clone();
	};
	const given = { url: "http://a.example", key: "k", ...options, fetch: options.fetch ?? send };
	return { attempts, store: new AnimalStore(given) };
}

const overloaded = { code: "overloaded", message: "m" };

export function refusal(status: number, headers: Record<string, string> = {}, body: object = overloaded) {
	return new Response(JSON.stringify(body), { status, headers });
}

export async function failureOf(call: Promise<unknown>): Promise<ApiError | NoReply> {
	const error: unknown = await call.catch((error) => error);
	assert.ok(error instanceof ApiError || error instanceof NoReply, String(error));
	return error;
}

/** Records the waits between attempts instead of waiting. */
export function unhurried(context: TestContext): number[] {
	const waits: number[] = [];
	const wait = setTimeout;
	context.mock.method(globalThis, "setTimeout", (act: () => void, ms: number) => {
		if (ms === 10_000) return wait(act, ms);
		waits.push(ms);
		return wait(act, 0);
	});
	return waits;
}
