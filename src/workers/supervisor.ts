// Starts the workers, and another one in the place of each that ends. The first one leads: it opens the store before
// the others, so that only one process creates, upgrades or verifies it.

import cluster from "node:cluster";
import { setTimeout as sleep } from "node:timers/promises";
import type { ServiceLog } from "../ops/log.ts";
import { type ForkedWorker, type ForkOptions, forkWorker } from "./fork.ts";
import { createLineMerger } from "./log-lines.ts";
import type { Answers, Serving, Start, ToWorker } from "./messages.ts";

/** How long a worker has to serve until its end is no repetition. */
const steadyMs = 60_000;
/** Until a worker that has ended is replaced; doubled with each repetition. */
const delayMs = { least: 100, most: 10_000 };

export interface Supervisor {
	/** Resolves when all workers serve. @throws `refusal`, if one cannot */
	start(): Promise<Serving>;
	/** Tells all workers, also those that do not serve yet. */
	tell(message: ToWorker): void;
	/**
	 * The answers of the workers that serve and answer in time.
	 * @param mayBeOlder whether an earlier answer stands for one that does not come in time
	 */
	askAll<Name extends keyof Answers>(question: Name, mayBeOlder?: boolean): Promise<Answers[Name][]>;
	/** Resolves when all have ended. */
	stop(graceMs: number): Promise<void>;
}

interface SupervisorOptions extends Omit<ForkOptions, "pass"> {
	count: number;
	log: ServiceLog;
	startOf: (isLead: boolean) => Start;
	/** Called with the latest answers of a worker that has ended. */
	onEnded: (answers: Partial<Answers>) => void;
	/** No worker serves, and another one cannot start. */
	onLost: () => void;
}

export function superviseWorkers(options: SupervisorOptions): Supervisor {
	const { count, log, startOf, onEnded, onLost } = options;
	cluster.setupPrimary({ stdio: ["ignore", "pipe", "inherit", "ipc"], serialization: "advanced" });
	const pass = createLineMerger(process.stdout);
	const workers: ForkedWorker[] = [];
	const serving = () => workers.filter(({ isServing }) => isServing);
	let isStopping = false;
	// One may hang.
	process.once("exit", () => {
		for (const { kill } of workers) kill();
	});

	const startWorker = (place: number) => workers[place]?.tell({ kind: "start", start: startOf(place === 0) });

	/** Until the service stops. */
	async function keepRunning(place: number): Promise<void> {
		let failures = 0;
		for (let worker = workers[place]; worker; worker = workers[place]) {
			const cause = await worker.ended;
			if (isStopping) return;
			onEnded(worker.answers);
			const { pid, servesSinceMs } = worker;
			log.error({ worker: pid, cause }, "a worker ended unexpectedly, and another one takes its place");
			if (servesSinceMs === undefined && serving().length === 0) return onLost();
			const isSteady = servesSinceMs !== undefined && performance.now() - servesSinceMs > steadyMs;
			failures = isSteady ? 0 : failures + 1;
			await sleep(Math.min(delayMs.least * 2 ** failures, delayMs.most));
			if (isStopping) return;
			workers[place] = forkWorker({ ...options, pass });
			startWorker(place);
		}
	}

	return {
		async start() {
			for (let place = 0; place < count; place++) workers.push(forkWorker({ ...options, pass }));
			startWorker(0);
			const lead = await (workers[0] as ForkedWorker).serving;
			for (let place = 1; place < count; place++) startWorker(place);
			await Promise.all(workers.map(({ serving }) => serving));
			for (const place of workers.keys()) void keepRunning(place);
			return lead;
		},
		tell(message) {
			for (const { tell } of workers) tell(message);
		},
		async askAll(question, mayBeOlder = false) {
			const asked = serving().map(async (worker) => {
				const answer = await worker.ask(question).catch(() => undefined);
				// Of one that has ended, `onEnded` was told.
				return answer ?? (mayBeOlder && worker.isServing ? worker.answers[question] : undefined);
			});
			return (await Promise.all(asked)).filter((answer) => answer !== undefined);
		},
		async stop(graceMs) {
			isStopping = true;
			for (const { tell } of workers) tell({ kind: "stop", graceMs });
			await Promise.all(workers.map(({ ended }) => ended));
		},
	};
}
