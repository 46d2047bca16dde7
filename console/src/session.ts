// The session of a user: the API key, its scopes, and the clients that send it.

import { Attempts } from "../../client/src/attempts.ts";
import { AnimalStore, type Page } from "../../client/src/index.ts";
import { readOptions } from "../../client/src/options.ts";
import type { KeyInfo } from "../../src/contract/console.ts";
import type { Scope } from "../../src/contract/operations.ts";
import type { Sender } from "./add-rows.ts";
import type { Asking, AskOptions } from "./asking.ts";
import type { KeptKey } from "./kept-key.ts";

/** A page of the list, with exact ids. */
export type PetPage = Page<"bigint">;

export interface Session extends KeptKey, Asking {
	info: KeyInfo;
	sender: Sender;
	/** This client gives up early, because a person is waiting. */
	store: AnimalStore<"bigint">;
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
	const info = await asking(key, fetch)<KeyInfo>("/console/key", { signal });
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
		ask: asking(key, send),
	};
}

function asking(key: string, send: typeof fetch): Session["ask"] {
	const settings = readOptions({ url, key, int64: "bigint", timeoutMs, maxRetries: 0, fetch: send });
	const attempts = new Attempts({ ...settings, base: url });
	return async <Reply>(path: string, { body, signal }: AskOptions) => {
		const headers: Record<string, string> = body === undefined ? {} : { "content-type": "application/json" };
		const method = body === undefined ? "GET" : "POST";
		return (await attempts.send({ method, path, headers, body }, { signal })).body as Reply;
	};
}
