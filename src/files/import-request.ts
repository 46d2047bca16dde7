// Sends the rows of an import to the service, batch by batch. If the service is unreachable or busy, waits and sends
// the batch again. This adds nothing twice, because each row has a key. Uses only `fetch`, to run in browsers, too.

import { type ImportResult, isRefusal } from "../contract/console.ts";
import { tryParseJson } from "../contract/json.ts";
import { idempotencyHours } from "../contract/operations.ts";

/** Why an import stopped. The message is one sentence with the fix. */
export class ImportFailure extends Error {
	/**
	 * `refused`: the API key does not work, or is not allowed to add animals. `missing`: the service cannot import.
	 * `expired`: a batch without a reply is too old to be sent again. `unreachable`: the service did not answer for too
	 * long. `unexpected`: any other reply.
	 */
	readonly kind: "refused" | "missing" | "expired" | "unreachable" | "unexpected";
	readonly hasReply: boolean;
	constructor(kind: ImportFailure["kind"], message: string, hasReply = true) {
		super(message);
		this.kind = kind;
		this.hasReply = hasReply;
	}
}

export interface ImportTarget {
	/** The address of the service, without `/v1`. */
	url: string;
	key: string;
	/** The name of the file that the rows come from. Later imports show it. */
	file?: string;
	/** How long to wait for a service that accepts no batch, in milliseconds. */
	retryForMs: number;
	/** When aborted, ends the import before the next batch, and ends waits. A request under way is finished. */
	signal: AbortSignal;
	/** When aborted, also ends a request under way. */
	overdue?: AbortSignal | undefined;
	fetch?: typeof fetch | undefined;
}

/** The state of a batch. */
export interface Attempts {
	/** When the batch was first sent, in milliseconds since 1970; 0 if it was not sent yet. */
	sinceMs: number;
	/** True if an attempt may have stored the batch, because no reply ruled this out. */
	mayBeStored: boolean;
}

const attemptMs = 30_000;
const firstPauseMs = 200;
const longestPauseMs = 8_000;
/** How long a batch may be sent again. Its keys last an hour longer, which is more than an attempt takes. */
const repeatedForMs = (idempotencyHours - 1) * 3_600_000;
const expired =
	"the import was stopped for too long, and some rows could be added twice: look at the newest animals, " +
	"and import the missing rows as a new file";

/**
 * Sends a batch until it has a result for each row.
 * @param rows the JSON of each row
 * @param attempts the state of the batch, which the caller keeps even after a failure
 * @throws ImportFailure; during a wait, also the reason of `target.signal`
 */
export async function sendBatch(
	rows: readonly string[],
	target: ImportTarget,
	attempts: Attempts,
): Promise<ImportResult[]> {
	const endsAtMs = performance.now() + target.retryForMs;
	attempts.sinceMs ||= Date.now();
	for (let failures = 0; ; failures++) {
		if (attempts.mayBeStored && Date.now() - attempts.sinceMs > repeatedForMs)
			throw new ImportFailure("expired", expired);
		const { results, status, problem, waitMs = 0 } = await attempt(rows, target);
		if (results) return results;
		attempts.mayBeStored ||= status === undefined || !isRefusal(status);
		if (status === 413) return sendHalves(rows, target, attempts, problem);
		const failure = failureOf(status, problem, target);
		const pauseMs = waitMs + Math.min(firstPauseMs * 2 ** failures, longestPauseMs) * (0.5 + Math.random() / 2);
		if (failure.kind !== "unreachable" || performance.now() + pauseMs > endsAtMs) throw failure;
		await pause(pauseMs, target.signal);
	}
}

async function sendHalves(
	rows: readonly string[],
	target: ImportTarget,
	attempts: Attempts,
	problem: string,
): Promise<ImportResult[]> {
	if (rows.length === 1) return [{ outcome: "invalid", faults: [{ field: undefined, problem }] }];
	const half = rows.length >> 1;
	const first = await sendBatch(rows.slice(0, half), target, attempts);
	attempts.mayBeStored = true;
	return [...first, ...(await sendBatch(rows.slice(half), target, attempts))];
}

interface Attempt {
	results?: ImportResult[];
	/** The reply's status; undefined if there was no reply. */
	status?: number;
	problem: string;
	/** The time that Retry-After asks to wait, in milliseconds. */
	waitMs?: number;
}

async function attempt(rows: readonly string[], target: ImportTarget): Promise<Attempt> {
	const { url, key, file, overdue, fetch: send = fetch } = target;
	const late = AbortSignal.timeout(attemptMs);
	try {
		const reply = await send(`${url}/console/imports`, {
			method: "POST",
			headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
			body: `{"rows":[${rows.join()}]${file ? `,"file":${JSON.stringify(file)}` : ""}}`,
			redirect: "error",
			cache: "no-store",
			signal: overdue ? AbortSignal.any([overdue, late]) : late,
		});
		const { status, headers } = reply;
		const { value } = tryParseJson(await reply.text());
		const { results, message } = Object(value) as { results?: ImportResult[]; message?: string };
		if (reply.ok && Array.isArray(results) && results.length === rows.length)
			return { results: results.map((result) => inOwnTime(result, headers)), problem: "" };
		const seconds = Number(headers.get("retry-after") ?? 0);
		const problem = message ?? `another server, such as a proxy, replied ${status}`;
		return { status, problem, waitMs: seconds > 0 && seconds < Infinity ? seconds * 1000 : 0 };
	} catch (cause) {
		overdue?.throwIfAborted();
		const { message, cause: reason } = cause as Error;
		return { problem: `no reply from ${url}: ${(reason as Error | undefined)?.message ?? message}` };
	}
}

/** Converts a result's time to this computer's clock. The converted time is at most a second late, and never early. */
function inOwnTime(result: ImportResult, headers: Headers): ImportResult {
	if (!("atMs" in result)) return result;
	const aheadMs = Date.parse(headers.get("date") ?? "") - Date.now();
	return { ...result, atMs: result.atMs - (aheadMs || 0) };
}

function failureOf(status: number | undefined, problem: string, { url }: ImportTarget): ImportFailure {
	if (status === 401 || status === 403) return new ImportFailure("refused", problem);
	const causes = "the service is older than this program, or a proxy publishes only /v1";
	const page = "docs/proxies.md says which paths the console and imports need";
	if (status === 404) return new ImportFailure("missing", `${url} takes no imports: ${causes} (${page})`);
	const mayPass = status === undefined || status === 429 || (status >= 502 && status <= 504);
	return new ImportFailure(mayPass ? "unreachable" : "unexpected", problem, status !== undefined);
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
	const { promise: ended, resolve: end } = Promise.withResolvers<unknown>();
	const timer = setTimeout(end, ms);
	signal.addEventListener("abort", end);
	if (!signal.aborted) await ended;
	clearTimeout(timer);
	signal.removeEventListener("abort", end);
	signal.throwIfAborted();
}
