// The session of a user. The key is in memory, and in sessionStorage if the user chooses so; that ends with the tab.

import { AnimalStore, ApiError, NoReply } from "../../client/src/index.ts";
import type { Activity } from "../../src/contract/activity.ts";

export interface Session {
	key: string;
	store: AnimalStore;
	/** The counters of the node that answers. @throws ApiError, NoReply */
	activity(signal: AbortSignal): Promise<Activity>;
}

/** A person waits: after this time, the console shows the failure. */
const retryForMs = 3_000;
const timeoutMs = 10_000;
const storageName = "animal-store.key";
const url = location.origin;

export function loadKey(): string | undefined {
	return tabStorage()?.getItem(storageName) ?? undefined;
}

export function saveKey(key: string): void {
	tabStorage()?.setItem(storageName, key);
}

export function removeKey(): void {
	tabStorage()?.removeItem(storageName);
}

/** Undefined where the browser refuses it; then nothing is stored. */
function tabStorage(): Storage | undefined {
	try {
		return sessionStorage;
	} catch {
		return undefined;
	}
}

/** Resolves when the service accepts the key, whatever its scopes. @throws ApiError, NoReply */
export async function checkKey(key: string, signal: AbortSignal): Promise<void> {
	try {
		await new AnimalStore({ url, key, retryForMs }).listPage({ limit: 1 }, { signal });
	} catch (error) {
		if (!(error instanceof ApiError && error.code === "insufficient_scope")) throw error;
	}
}

/** @param onRefused called with the service's message when it refuses the key */
export function openSession(key: string, onRefused: (message: string) => void): Session {
	const send: typeof fetch = async (...request) => {
		const reply = await fetch(...request);
		if (reply.status === 401) onRefused(await messageOf(reply.clone()));
		return reply;
	};
	return {
		key,
		store: new AnimalStore({ url, key, retryForMs, timeoutMs, fetch: send }),
		activity: (signal) => readActivity(send, key, signal),
	};
}

async function messageOf(reply: Response): Promise<string> {
	const body = await reply.json().catch(() => undefined);
	return body?.message ?? "the key is refused";
}

async function readActivity(send: typeof fetch, key: string, signal: AbortSignal): Promise<Activity> {
	let reply: Response;
	let body: Activity & { message?: string; code?: ApiError["code"] };
	try {
		reply = await send(`${url}/console/activity`, {
			headers: { authorization: `Bearer ${key}` },
			cache: "no-store",
			signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
		});
		body = await reply.json();
	} catch (cause) {
		throw new NoReply(`no reply from ${url}`, { cause });
	}
	if (reply.ok) return body;
	const message = body.message ?? "the reply is not an error of the service";
	throw new ApiError(message, reply, body.code ?? "unexpected_reply");
}
