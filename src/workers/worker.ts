// A worker: the whole service but for what the primary process does once for all (primary.ts).

import cluster from "node:cluster";
import { randomBytes } from "node:crypto";
import closeWithGrace from "close-with-grace";
import type { Config } from "../config.ts";
import { countsOf } from "../ops/activity.ts";
import { createLog } from "../ops/log.ts";
import { createProbes } from "../ops/probes.ts";
import { readAll } from "../ops/summed-metrics.ts";
import { issueFirstKey, type Service, startService } from "../service.ts";
import {
	type Channel,
	openChannel,
	type Replies,
	type Start,
	type StopWrites,
	type ToPrimary,
	type ToWorker,
} from "./messages.ts";

/** Terminals and supervisors send them to all processes of the service. The primary tells what they mean. */
const ignoredSignals = ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGUSR1", "SIGUSR2"] as const;
const lastExitMs = 1000;
/** After an unexpected error. */
const stopGraceMs = 15_000;

/** @param describe the sentences about an error of the start */
export function runWorker(config: Config, describe: (error: unknown) => string[]): void {
	for (const signal of ignoredSignals) process.on(signal, () => {});
	process.channel?.ref(); // It keeps the process until the start.
	const replies: Replies = {};
	let running: ReturnType<typeof start> | undefined;
	const channel = openChannel<ToPrimary, ToWorker>(process, replies, (message) => {
		if (message.kind === "start") running = start(config, message.start, channel, replies);
		if (message.kind === "stop" && !running) leave();
		running?.then(
			(worker) => worker.hear(message),
			(error) => {
				channel.tell({ kind: "refused", sentences: describe(error) });
				leave();
			},
		);
	});
}

/** Ends when what was written to the log is read. */
function leave(): void {
	cluster.worker?.disconnect();
	setTimeout(() => process.exit(), lastExitMs).unref();
}

async function start(config: Config, options: Start, channel: Channel<ToPrimary>, replies: Replies) {
	const { port, isLead, node, logLevel, isOnTerminal, stopped } = options;
	const { log, flush, droppedLines } = createLog(logLevel, process.stdout, isOnTerminal);
	const service = await startService({
		config: { ...config, port, ...(!isLead && { apiKey: undefined, backups: undefined }) },
		log,
		droppedLogLines: droppedLines,
		isOnTerminal,
		shared: {
			isLead,
			node,
			counts: () => channel.ask("counts"),
			onFatal: (...cause) => channel.tell({ kind: "stopWrites", cause }),
		},
	});
	if (stopped) stopWrites(service, stopped);
	Object.assign(replies, repliesOf(service), isLead && { firstKey: () => issueKeyOf(service) });
	const skip = ["beforeExit", ...ignoredSignals.filter((signal) => signal !== "SIGUSR1")] as const;
	closeWithGrace({ delay: stopGraceMs + config.stopDelayMs, logger: false, skip: [...skip] }, async ({ err }) => {
		log.fatal({ err }, "stopping after an unexpected error");
		await service.stop();
		flush();
	});
	channel.tell({ kind: "serving", serving: { url: service.url } });
	return {
		async hear(message: ToWorker): Promise<void> {
			if (message.kind === "logLevel") log.level = message.level;
			if (message.kind === "stopWrites") stopWrites(service, message.cause);
			if (message.kind !== "stop") return;
			await service.stop(message.graceMs);
			flush();
			leave();
		},
	};
}

function repliesOf({ metrics, store, stopListening }: Service): Replies {
	const probes = createProbes(store, () => false);
	return {
		counts: () => countsOf(metrics, store),
		readings: () => readAll(metrics.families),
		ready: () =>
			probes.ready().then(
				({ writes }) => writes,
				() => undefined,
			),
		writes: () => store.writeState(),
		stopListening() {
			stopListening();
			return true;
		},
	};
}

function stopWrites({ store, backups }: Service, cause: StopWrites): void {
	void backups?.stop();
	store.stopWrites(...cause);
}

function issueKeyOf({ store }: Service): Promise<string | undefined> {
	return issueFirstKey({ rows: store.keys, now: Date.now, random: randomBytes });
}
