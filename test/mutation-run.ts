// Sends mutated requests to a running service, many connections at once, and collects every case in which an invariant broke.

import assert from "node:assert/strict";
import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { AnimalStore } from "../client/src/index.ts";
import { petStatuses } from "../src/contract/pet.ts";
import { keyFromRandom } from "../src/keys/key-format.ts";
import { canary, checkExchange, type Exchange, logProblems } from "./mutation-check.ts";
import { corpusRequests, type MutationCase, mutationCase, type World } from "./mutations.ts";
import { type Running, startProgram } from "./program.ts";
import { within } from "./until.ts";

export interface MutationRun {
	databaseUrl: string;
	seed: number;
	/** The number of the first case. */
	first: number;
	cases: number;
	say?(line: string): void;
}

export interface Finding {
	index: number | undefined;
	problem: string;
	sent: Buffer;
	received: Buffer;
}

export interface MutationResult {
	findings: Finding[];
	/** How many replies there were of each status; `none` where there was no reply. */
	statuses: Record<string, number>;
}

interface Context {
	after(cleanUp: () => void): void;
}

/** Far beyond the time-outs of the service: nothing takes so long unless it hangs, on a busy machine too. */
const hangMs = 20_000;
const connections = 250;
const batchSize = 1250;
/** Cases for one process of the service, so that its log stays small, and stopping is tried too. */
const casesPerStart = 25_000;
const shortTimeouts = fileURLToPath(new URL("./short-timeouts.ts", import.meta.url));

/** Runs the cases against a service of its own on this store. */
export async function runMutations(context: Context, run: MutationRun): Promise<MutationResult> {
	const result: MutationResult = { findings: [], statuses: {} };
	const end = run.first + run.cases;
	for (let first = run.first; first < end; first += casesPerStart) {
		const cases = Math.min(casesPerStart, end - first);
		const before = result.findings.length;
		await runOnOneService(context, { ...run, first, cases }, result);
		const found = result.findings.slice(before);
		run.say?.(`${first + cases - run.first} of ${run.cases} cases, ${result.findings.length} findings`);
		if (found.length > 0) run.say?.(describeFindings(found, run));
	}
	return result;
}

async function runOnOneService(context: Context, run: MutationRun, result: MutationResult): Promise<void> {
	const { seed, databaseUrl } = run;
	const key = keyFromRandom(Buffer.alloc(32, `mutations ${seed}`));
	const environment = { DATABASE_URL: databaseUrl, API_KEY: key, LOG_LEVEL: "info" };
	const service = await startProgram(context, environment, { nodeOptions: ["--import", shortTimeouts] });
	const requests = corpusRequests(await populate(service.url, key));
	const log = logReader(service);
	const end = run.first + run.cases;
	for (let first = run.first; first < end; first += batchSize) {
		const cases = Array.from({ length: Math.min(batchSize, end - first) }, (_, place) =>
			mutationCase(seed, first + place, requests),
		);
		const idOf = await runBatch(cases, service.url, key, result);
		await assertWorks(service, key);
		result.findings.push(...log.problems(idOf));
	}
	service.process.kill("SIGTERM");
	const { code, stderr } = await within("the service to stop", service.finished);
	result.findings.push(...log.problems(new Map()));
	assert.equal(stderr, "");
	assert.equal(code, 0, "the service stops in order");
}

/** Animals for every filter, and what requests can name of them. */
async function populate(url: string, key: string): Promise<World> {
	const store = new AnimalStore({ url, key });
	for (const status of [undefined, ...petStatuses]) await store.createPet({ name: canary, categoryId: 1, status });
	const { next = "" } = await store.listPage({ limit: 1 });
	return { key, cursor: next };
}

/** @returns which case got which X-Request-Id */
async function runBatch(
	cases: MutationCase[],
	url: string,
	key: string,
	{ findings, statuses }: MutationResult,
): Promise<Map<string, Finding>> {
	const byRequestId = new Map<string, Finding>();
	const port = Number(new URL(url).port);
	const rest = cases.values();
	const work = Array.from({ length: connections }, async () => {
		for (const one of rest) {
			const went = await answeredExchange(port, one);
			for (const [, status = ""] of went.received.toString("latin1").matchAll(/^HTTP\/1\.1 (\d+)/gm))
				statuses[status] = (statuses[status] ?? 0) + 1;
			if (went.received.length === 0) statuses["none"] = (statuses["none"] ?? 0) + 1;
			const shown: Finding = { index: one.index, problem: "", sent: went.sent, received: went.received };
			for (const [, id = ""] of went.received.toString("latin1").matchAll(/^x-request-id: ([^\r]+)/gim))
				byRequestId.set(id, shown);
			try {
				checkExchange(went, key);
			} catch (error) {
				findings.push({ ...shown, problem: error instanceof Error ? error.message : String(error) });
			}
		}
	});
	await Promise.all(work);
	return byRequestId;
}

/**
 * Like `exchange`, but three times where no reply came: the service ends a refused connection half a second after its reply, and a
 * client that a busy machine has kept from reading until then finds nothing.
 */
async function answeredExchange(port: number, one: MutationCase): Promise<Exchange> {
	let went = await exchange(port, one);
	for (let again = 0; again < 2 && went.received.length === 0; again++) went = await exchange(port, one);
	return went;
}

/** Sends one case and waits until the service closes the connection. */
function exchange(port: number, { segments, pauseMs, isHalfClosed }: MutationCase): Promise<Exchange> {
	return new Promise((resolve) => {
		const received: Buffer[] = [];
		const socket = connect({ port, host: "127.0.0.1", noDelay: true, allowHalfOpen: true });
		const finish = (problem?: string) => {
			clearTimeout(timer);
			socket.destroy();
			const [sent, pieces] = [Buffer.concat(segments), segments.length];
			resolve({ sent, pieces, received: Buffer.concat(received), isHalfClosed, problem });
		};
		const timer = setTimeout(() => finish(`the connection was still open after ${hangMs} ms`), hangMs);
		socket.on("connect", async () => {
			for (const [place, segment] of segments.entries()) {
				if (place > 0) await sleep(pauseMs);
				if (socket.writable) socket.write(segment);
			}
			if (isHalfClosed) socket.end();
		});
		socket.on("data", (chunk) => received.push(chunk));
		socket.on("end", () => finish());
		// Refused while it still sent: what came back before that counts.
		socket.on("error", (error) => finish(received.length > 0 ? undefined : error.message));
	});
}

/** The service is alive and answers a good request; the client waits while a busy machine makes it refuse. */
async function assertWorks({ url, process: child }: Running, key: string): Promise<void> {
	assert.equal(child.exitCode, null, "the service has ended");
	const { pets } = await new AnimalStore({ url, key }).listPage({ limit: 1 });
	assert.ok(pets[0]?.name.includes(canary));
}

const nothingFound: Finding = { index: undefined, problem: "", sent: Buffer.alloc(0), received: Buffer.alloc(0) };

/** Reads what the service has logged since the last look. */
function logReader({ output }: Running) {
	let read = 0;
	function problems(idOf: Map<string, Finding>): Finding[] {
		const end = output.stdout.lastIndexOf("\n") + 1;
		const lines = output.stdout.slice(read, end).split("\n").slice(0, -1);
		read = end;
		return logProblems(lines).map(({ requestId = "", text }) => {
			const found = idOf.get(requestId) ?? nothingFound;
			return { ...found, problem: text };
		});
	}
	return { problems };
}

/** Findings of one kind together, each kind with its first example and what repeats that alone. */
export function describeFindings(findings: Finding[], { seed, databaseUrl }: MutationRun): string {
	const engine = databaseUrl.startsWith("sqlite:") ? "sqlite" : "postgres";
	const kinds = Map.groupBy(findings, ({ problem }) => problem.split("\n")[0]?.replaceAll(/\d{2,}|"[^"]*"/g, "…"));
	const shown = [...kinds.values()].map((same) => {
		const [{ index, problem, sent, received } = nothingFound] = same;
		const repeat = `npm run prove -- --only mutations --engine ${engine} --seed ${seed} --first ${index} --cases 1`;
		return `${same.length} × ${problem}\n  ${repeat}\n  sent ${shownBytes(sent)}\n  got  ${shownBytes(received)}`;
	});
	return `${findings.length} findings with seed ${seed}\n${shown.join("\n")}`;
}

function shownBytes(bytes: Buffer): string {
	const text = JSON.stringify(bytes.toString("latin1"));
	return text.length > 1500 ? `${text.slice(0, 1500)}… (${bytes.length} bytes)` : text;
}
