// Who is signed in. The key lives in memory; only when someone asks for it also in sessionStorage, which ends with the tab.

import { AnimalStore, ApiError, NoReply } from "../../client/src/index.ts";
import type { Activity } from "../../src/contract/activity.ts";

export interface Session {
	key: string;
	store: AnimalStore;
	/** Counters of the node that answers. @throws ApiError, NoReply */
	activity(signal: AbortSignal): Promise<Activity>;
}

/** A person waits: after this, they hear that it failed, and decide themselves. */
const retryForMs = 3_000;
const timeoutMs = 10_000;
const place = "animal-store.key";
const url = location.origin;

export function keptKey(): string | undefined {
	return tabStorage()?.getItem(place) ?? undefined;
}

export function keepKey(key: string): void {
	tabStorage()?.setItem(place, key);
}

export function forgetKey(): void {
	tabStorage()?.removeItem(place);
}

/** Some browsers are set to refuse it: then nothing is kept. */
function tabStorage(): Storage | undefined {
	try {
		return sessionStorage;
	} catch {
		return undefined;
	}
}

/** Whether the service lets this key in; it need not be allowed to list. @throws ApiError, NoReply */
export async function checkKey(key: string, signal: AbortSignal): Promise<void> {
	try {
		await new AnimalStore({ url, key, retryForMs }).listPage({ limit: 1 }, { signal });
	} catch (error) {
		if (!(error instanceof ApiError && error.code === "insufficient_scope")) throw error;
	}
}

/** @param onRefused hears the service's words when it lets the key in no more */
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
	throw new ApiError(body.message ?? "the reply is no error of the service", reply, body.code ?? "unexpected_reply");
}
