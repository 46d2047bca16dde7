// The session of a user: the API key, its scopes, and the clients that send requests with this key.

import { Attempts } from "../../../client/src/attempts.ts";
import { connectionError } from "../../../client/src/errors.ts";
import { AnimalStore, type Page } from "../../../client/src/index.ts";
import { readOptions } from "../../../client/src/options.ts";
import type { KeyInfo } from "../../../src/contract/console.ts";
import type { Scope } from "../../../src/contract/operations.ts";
import { root as url } from "../parts/root.ts";
import type { Asking, AskOptions, Sender } from "./asking.ts";
import type { KeptKey } from "./kept-key.ts";

/** A page of the list, with exact ids. */
export type PetPage = Page<"bigint">;

export interface Session extends KeptKey, Asking {
	info: KeyInfo;
	/** Aborted when the user signs out: a reply that arrives later leaves nothing for the next user. */
	signedOut: AbortController;
	sender: Sender;
	/** This client gives up early, because a person is waiting. */
	store: AnimalStore<"bigint">;
	/**
	 * Fetches a whole file into a Blob. Chromium keeps Blobs in memory, and on disk up to a tenth of the free space. A
	 * million animals are about 80 MB of JSON. @throws ApiError, NoReply, also if the file breaks off
	 */
	fetchFile(path: string, body: string): Promise<{ name: string; content: Blob }>;
}

const retryForMs = 2_000;
const timeoutMs = 10_000;
/** Long, because the first byte of a file that is sorted by name arrives late. */
const fileTimeoutMs = 60_000;

export function may({ info }: Session, scope: Scope): boolean {
	return info.scopes.includes(scope);
}

/**
 * Asks the service for the scopes of the key.
 * @param onRefused called if the service later refuses the key
 * @throws ApiError, NoReply
 */
export async function openSession(kept: KeptKey, onRefused: () => void, signal?: AbortSignal): Promise<Session> {
	const { key } = kept;
	const info = await asking(key, fetch).ask<KeyInfo>("/console/key", { signal });
	const send: typeof fetch = async (...request) => {
		const reply = await fetch(...request);
		if (reply.status === 401) onRefused();
		return reply;
	};
	const signedOut = new AbortController();
	return {
		...kept,
		info,
		signedOut,
		store: new AnimalStore({ url, key, int64: "bigint", retryForMs, timeoutMs, fetch: send }),
		sender: { url, key, fetch: send },
		...asking(key, send, signedOut.signal),
	};
}

function asking(key: string, send: typeof fetch, signedOut?: AbortSignal): Pick<Session, "ask" | "fetchFile"> {
	const settings = readOptions({ url, key, int64: "bigint", timeoutMs, maxRetries: 0, fetch: send });
	const attempts = new Attempts({ ...settings, base: url });
	const json = { "content-type": "application/json" };
	return {
		async ask<Reply>(path: string, { body, signal }: AskOptions) {
			const request =
				body === undefined ? ({ method: "GET", headers: {} } as const) : ({ method: "POST", headers: json } as const);
			return (await attempts.send({ ...request, path, body }, { signal })).body as Reply;
		},
		async fetchFile(path, body) {
			const request = { method: "POST", path, headers: json, body, isFile: true } as const;
			const { response } = await attempts.send(request, { timeoutMs: fileTimeoutMs, signal: signedOut });
			const [, name = "animals"] = /filename="(.*)"/.exec(response.headers.get("content-disposition") ?? "") ?? [];
			const content = await response.blob().catch((cause) => Promise.reject(connectionError(url, cause, true)));
			return { name, content };
		},
	};
}
