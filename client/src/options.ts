// The options of the client and of its calls, and their checks: a wrong option fails immediately, with the fix.

import type { Int64Mode } from "./contract.ts";
import type { AnimalStoreError } from "./errors.ts";

/** The service's address and key, the limits of calls, and hooks. */
export type ClientOptions<Mode extends Int64Mode = "string"> = CommonOptions &
	("string" extends Mode ? Partial<Int64Option<Mode>> : Int64Option<NoInfer<Mode>>);

interface Int64Option<Mode extends Int64Mode> {
	/**
	 * The type of `id` and `categoryId` in results: "string" (default), "bigint" or "number". No value is rounded: with
	 * "number", a call throws a RangeError when a value is beyond 2^53.
	 */
	int64: Mode;
}

interface CommonOptions extends Retries {
	/**
	 * The address of the service, such as `https://api.example.com`, with or without `/v1`.
	 * Default: the environment variable `ANIMAL_STORE_URL`.
	 */
	url?: string | URL | undefined;
	/** The API key, sent as a bearer token and nowhere else. Default: the environment variable `ANIMAL_STORE_KEY`. */
	key?: string | undefined;
	/** Called before each wait for another attempt. */
	onRetry?: ((retry: Retry) => void) | undefined;
	/** Called before each attempt. It may change the headers, which do not contain the key. */
	beforeRequest?: ((request: SentRequest) => void | Promise<void>) | undefined;
	/** Called after each reply, including refusals. The body has been read. */
	afterResponse?: ((response: Response, request: SentRequest) => void | Promise<void>) | undefined;
	/** Replaces the global `fetch`. */
	fetch?: typeof fetch | undefined;
}

interface Retries {
	/** How long one attempt may take, up to the last byte of its reply. Default: 10 000. */
	timeoutMs?: number | undefined;
	/** How long failed attempts are repeated; 0 for one attempt only. Default: 30 000. */
	retryForMs?: number | undefined;
	/** The maximum number of retries. Default: as many as `retryForMs` allows. */
	maxRetries?: number | undefined;
}

/** Options of every call. They override the client's options. */
export interface CallOptions extends Retries {
	/** Aborts the call, even between attempts, with the signal's reason. */
	signal?: AbortSignal | undefined;
}

export interface CreateOptions extends CallOptions {
	/**
	 * 1 to 255 visible ASCII characters. Within 24 hours, the same key with the same animal adds only one animal.
	 * Default: a new key for each call. Set your own to repeat a create in another process.
	 */
	idempotencyKey?: string | undefined;
}

/** A failed attempt that is repeated. */
export interface Retry {
	error: AnimalStoreError;
	/** The number of the failed attempt, from 1. */
	attempt: number;
	/** How long the client waits before the next attempt. */
	waitMs: number;
}

/** An attempt as hooks see it. */
export interface SentRequest {
	readonly method: "GET" | "POST";
	readonly url: string;
	readonly headers: Record<string, string>;
	readonly body?: string | undefined;
	/** The number of the attempt, from 1. */
	readonly attempt: number;
}

/** The longest time of a timer: with a longer time, the timer would fire immediately. */
export const timerMaxMs = 2 ** 31 - 1;

/** The check of each option, and its rule for messages. */
type Rules = Record<string, [holds: (value: unknown) => unknown, rule: string]>;

const isFunction: Rules[string] = [(value) => typeof value === "function", "a function"];
const visibleAscii = (value: unknown) => typeof value === "string" && /^[!-~]+$/.test(value);

const retryRules: Rules = {
	timeoutMs: [
		(value) => typeof value === "number" && value >= 1 && value <= timerMaxMs,
		`milliseconds from 1 to ${timerMaxMs}`,
	],
	retryForMs: [(value) => typeof value === "number" && value >= 0, "milliseconds from 0"],
	maxRetries: [(value) => value === Infinity || (Number.isInteger(value) && Number(value) >= 0), "an integer from 0"],
};

const callRules: Rules = {
	...retryRules,
	// Does not use instanceof, because a signal may come from another realm.
	signal: [(value) => "aborted" in Object(value), "an AbortSignal"],
	idempotencyKey: [(value) => visibleAscii(value) && String(value).length < 256, "1 to 255 visible ASCII characters"],
};

function isAddress(value: unknown): boolean {
	try {
		return /^https?:\/\/[^?#@]+$/i.test(String(value)) && Boolean(new URL(String(value)));
	} catch {
		return false;
	}
}

const clientRules: Rules = {
	url: [isAddress, "http:// or https:// with a host, without user name, query and fragment"],
	key: [visibleAscii, "an API key such as pets_…, without spaces and line breaks"],
	int64: [(value) => /^(string|bigint|number)$/.test(String(value)), '"string", "bigint" or "number"'],
	...retryRules,
	onRetry: isFunction,
	beforeRequest: isFunction,
	afterResponse: isFunction,
	fetch: isFunction,
};

/** @throws TypeError for an unknown option and for a value that breaks its rule */
function check(options: object, rules: Rules): void {
	for (const [name, value] of Object.entries(options)) {
		const [holds, rule] = rules[name] ?? [];
		if (!holds) throw new TypeError(`unknown option ${name}: the options are ${Object.keys(rules).join(", ")}`);
		if (value === undefined || holds(value)) continue;
		// Keys and passwords are not shown.
		const found = name === "key" ? "" : `, not ${JSON.stringify(String(value)).replace(/\/\/.*@/, "//…@")}`;
		throw new TypeError(`${name} must be ${rule}${found}`);
	}
}

/** @throws TypeError */
export function checkCallOptions(options: CallOptions): void {
	check(options, callRules);
}

/** The client's options with their defaults. */
export type Settings = ReturnType<typeof readOptions>;

/** @throws TypeError that names the option and the fix */
export function readOptions(options: CommonOptions & Partial<Int64Option<Int64Mode>>) {
	const url = options.url ?? environment("ANIMAL_STORE_URL");
	const key = options.key ?? environment("ANIMAL_STORE_KEY");
	if (!url) throw new TypeError('url is missing: pass url: "http://127.0.0.1:8080", or set ANIMAL_STORE_URL');
	if (!key) throw new TypeError('key is missing: pass key: "pets_…", or set ANIMAL_STORE_KEY');
	check({ ...options, url, key }, clientRules);
	const { int64 = "string", timeoutMs = 10_000, retryForMs = 30_000, maxRetries = Infinity } = options;
	const { origin, pathname } = new URL(url);
	const base = origin + pathname.replace(/(\/v1)?\/*$/, "/v1");
	return { ...options, base, key, int64, timeoutMs, retryForMs, maxRetries };
}

/** An environment variable; undefined if it is not set, or if Deno has no permission to read it. */
function environment(name: string): string | undefined {
	try {
		const { process } = globalThis as { process?: { env?: Record<string, string | undefined> } };
		return process?.env?.[name];
	} catch {
		return undefined;
	}
}
