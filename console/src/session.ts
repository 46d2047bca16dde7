// The session of a user: the API key, its scopes, and the clients that send it.

import { AnimalStore, ApiError, NoReply, type Page } from "../../client/src/index.ts";
import { parseExact } from "../../client/src/int64.ts";
import type { KeyInfo } from "../../src/contract/console.ts";
import type { Scope } from "../../src/contract/operations.ts";
import type { Sender } from "./add-rows.ts";
import type { KeptKey } from "./kept-key.ts";

/** A page of the list, with exact ids. */
export type PetPage = Page<"bigint">;

export interface Session extends KeptKey {
	info: KeyInfo;
	sender: Sender;
	/** This client gives up early, because a person is waiting. */
	store: AnimalStore<"bigint">;
	/**
	 * Sends a request to an endpoint of the console; with a body, the request is a POST.
	 * @returns the reply with exact integers
	 * @throws ApiError, NoReply
	 */
	ask<Reply>(path: string, options: AskOptions): Promise<Reply>;
}

interface AskOptions {
	body?: string;
	signal?: AbortSignal | undefined;
}

const retryForMs = 2_000;
const timeoutMs = 10_000;
const url = location.origin;

export function may({ info }: Session, scope: Scope): boolean {
	return info.scopes.includes(scope);
}

/**
 * Asks the service for the scopes of the key.
 * @param onRefused called when the service refuses the key later
 * @throws ApiError, NoReply
 */
export async function openSession(kept: KeptKey, onRefused: () => void, signal?: AbortSignal): Promise<Session> {
	const { key } = kept;
	const info = await read<KeyInfo>(fetch, "/console/key", key, { signal });
	const send: typeof fetch = async (...request) => {
		const reply = await fetch(...request);
		if (reply.status === 401) onRefused();
		return reply;
	};
	return {
		...kept,
		info,
		store: new AnimalStore({ url, key, int64: "bigint", retryForMs, timeoutMs, fetch: send }),
		sender: { url, key, fetch: send },
		ask: (path, asked) => read(send, path, key, asked),
	};
}

async function read<Reply>(send: typeof fetch, path: string, key: string, options: AskOptions): Promise<Reply> {
	const { body: json, signal } = options;
	let reply: Response;
	let body: { message?: string; code?: ApiError["code"] };
	const late = AbortSignal.timeout(timeoutMs);
	try {
		reply = await send(url + path, {
			headers: { authorization: `Bearer ${key}`, ...(json !== undefined && { "content-type": "application/json" }) },
			...(json !== undefined && { method: "POST", body: json }),
			cache: "no-store",
			signal: signal ? AbortSignal.any([signal, late]) : late,
		});
		const text = await reply.text();
		// A proxy's refusal may not be JSON.
		body = parseExact(reply.ok || text[0] === "{" ? text : "{}", "bigint") as typeof body;
	} catch (cause) {
		throw new NoReply(`no reply from ${url}`, { cause });
	}
	if (reply.ok) return body as Reply;
	const message = body.message ?? "the reply is not an error of the service";
	throw new ApiError(message, reply, body.code ?? "unexpected_reply");
}
