// Sends mutated requests to a running service over many connections at once, and collects every case that breaks an
// invariant.

import assert from "node:assert/strict";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { AnimalStore } from "../../client/src/index.ts";
import { petStatuses } from "../../src/contract/pet.ts";
import { keyFromRandom } from "../../src/keys/formats.ts";
import { startProgram } from "../support/program.ts";
import { type CleanUps, within } from "../support/until.ts";
import { Connection } from "../support/wire.ts";
import { canary, checkExchange, type Exchange, logProblems } from "./mutation-check.ts";
import { corpusRequests, type MutationCase, mutationCase } from "./mutations.ts";

export interface MutationRun {
	databaseUrl: string;
	seed: number;
	first: number;
	cases: number;
	say?(line: string): void;
}

export interface MutationResult {
	/** Each broken invariant, with the bytes and the command that repeats the case. */
	findings: string[];
	statuses: Record<string, number>;
}

/** Far longer than the service's time-outs: even on a busy machine, only a case that hangs takes so long. */
const hangMs = 20_000;
const connections = 250;
const batchSize = 1250;
const shortTimeouts = fileURLToPath(new URL("./short-timeouts.ts", import.meta.url));

/** Runs the cases against a new service on this store. */
export async function runMutations(
	context: CleanUps,
	{ databaseUrl, seed, first, cases, say }: MutationRun,
): Promise<MutationResult> {
	const key = keyFromRandom(Buffer.alloc(32, `mutations ${seed}`));
	const environment = { DATABASE_URL: databaseUrl, API_KEY: key, LOG_LEVEL: "info" };
	const service = await startProgram(context, environment, { nodeOptions: ["--import", shortTimeouts] });
	const store = new AnimalStore({ url: service.url, key });
	for (const status of [undefined, ...petStatuses]) await store.createPet({ name: canary, categoryId: 1, status });
	const { next: cursor = "" } = await store.listPage({ limit: 1 });
	const requests = corpusRequests({ key, cursor });
	const result: MutationResult = { findings: [], statuses: {} };
	const engine = databaseUrl.startsWith("sqlite:") ? "sqlite" : "postgres";
	const repeat = `npm run prove -- --only mutations --engine ${engine} --seed ${seed} --cases 1 --first`;
	const note = (problem: string, by = "an unknown request") => {
		const found = `${problem}\n  ${by.replace(/^\d+/, `${repeat} $&`)}`;
		result.findings.push(found);
		say?.(found);
	};
	/** Checks the log lines since the last call. */
	const readLog = (caseOf: Map<string, string>) => {
		const lines = service.output.stdout.split("\n");
		service.output.stdout = lines.pop() ?? "";
		for (const { requestId = "", problem } of logProblems(lines)) note(problem, caseOf.get(requestId));
	};
	for (let at = 0; at < cases; at += batchSize) {
		const count = Math.min(batchSize, cases - at);
		const batch = Array.from({ length: count }, (_, place) => mutationCase(seed, first + at + place, requests));
		const caseOf = await runBatch(batch, Number(new URL(service.url).port), key, result.statuses, note);
		assert.equal(service.process.exitCode, null, "the service has ended");
		// A valid request must be served. The client retries if the service refuses it as overloaded.
		assert.ok((await store.listPage({ limit: 1 })).pets[0]?.name.includes(canary));
		readLog(caseOf);
		if ((at / batchSize) % 20 === 19) say?.(`${at + count} of ${cases} cases, ${result.findings.length} findings`);
	}
	const { code, stderr } = await service.stop();
	readLog(new Map());
	assert.deepEqual([code, stderr], [0, ""], "the service stops in an orderly way");
	return result;
}

/** Sends the cases and checks the replies. @returns the case of each X-Request-Id */
async function runBatch(
	cases: MutationCase[],
	port: number,
	key: string,
	statuses: MutationResult["statuses"],
	note: (problem: string, by: string) => void,
): Promise<Map<string, string>> {
	const caseOf = new Map<string, string>();
	const rest = cases.values();
	const work = Array.from({ length: connections }, async () => {
		for (const one of rest) {
			let went = await exchange(port, one);
			// The service closes a refused connection half a second after the reply. On a busy machine the client may miss
			// the reply, so the case is sent again.
			for (let again = 0; again < 2 && went.received.length === 0; again++) went = await exchange(port, one);
			const text = went.received.toString("latin1");
			for (const [, status = ""] of text.matchAll(/^HTTP\/1\.1 (\d+)/gm))
				statuses[status] = (statuses[status] ?? 0) + 1;
			const by = `${one.index}\n  sent ${shown(went.sent)}\n  got  ${shown(went.received)}`;
			for (const [, id = ""] of text.matchAll(/^x-request-id: ([^\r]+)/gim)) caseOf.set(id, by);
			try {
				checkExchange(went, key);
			} catch (error) {
				note(error instanceof Error ? error.message : String(error), by);
			}
		}
	});
	await Promise.all(work);
	return caseOf;
}

/** Sends one case and waits until the service closes the connection. */
async function exchange(port: number, { segments, pauseMs, isHalfClosed }: MutationCase): Promise<Exchange> {
	const connection = new Connection(port);
	const { socket } = connection;
	const closed = within("the service to close the connection", once(socket, "close"), hangMs).catch(
		(error: Error) => error,
	);
	await once(socket, "connect").catch(() => {});
	for (const [place, segment] of segments.entries()) {
		if (place > 0) await sleep(pauseMs);
		if (socket.writable) socket.write(segment);
	}
	if (isHalfClosed) socket.end();
	const end = await closed;
	// The service may refuse before everything is sent, which can break the connection. An arrived reply still counts.
	const isProblem = end instanceof Error && (!socket.destroyed || connection.received.length === 0);
	connection.end();
	const { received } = connection;
	return { sent: Buffer.concat(segments), received, ...(isProblem && { problem: end.message }) };
}

function shown(bytes: Buffer): string {
	const text = JSON.stringify(bytes.toString("latin1"));
	return text.length > 1500 ? `${text.slice(0, 1500)}… (${bytes.length} bytes)` : text;
}
