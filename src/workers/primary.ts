// The primary process of a service with several workers: one port for operators, one log, one start and one stop. It
// serves no requests itself: the kernel divides the connections of the public port among the workers.

import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { createServer } from "node:net";
import type { Config } from "../config.ts";
import { ApiError } from "../contract/errors.ts";
import { linkWarning } from "../http/base-url.ts";
import { drain } from "../http/drain.ts";
import { createHttpServer, defaultTimeouts, listen, urlOf } from "../http/listen.ts";
import { createRefusals } from "../http/refusals.ts";
import { createReplyWatch } from "../http/reply-watch.ts";
import { createRequestIds } from "../http/request-id.ts";
import { securityHeaders } from "../http/security-headers.ts";
import { createTraffic } from "../http/traffic.ts";
import type { Counts } from "../ops/activity.ts";
import { createMetrics, type Metrics } from "../ops/metrics.ts";
import { createOpsHandler, type OpsOptions } from "../ops/ops-server.ts";
import { exposeSum, type Readings, readAll, sumCounters } from "../ops/summed-metrics.ts";
import type { Service, ServiceOptions } from "../service.ts";
import { closeAgain } from "../store/open.ts";
import type { WriteState } from "../store/store.ts";
import type { StopWrites } from "./messages.ts";
import { type Supervisor, superviseWorkers } from "./supervisor.ts";

export interface PrimaryOptions
	extends Pick<ServiceOptions, "config" | "log" | "droppedLogLines" | "issuesFirstKey" | "isOnTerminal">,
		Required<Pick<ServiceOptions, "onWritesStopped">> {
	/** The error about a worker that cannot start. */
	refusal: (sentences: string[]) => Error;
	/** No worker can be started any more. The log has the reason. */
	onLost: () => void;
}

const { version }: { version: string } = JSON.parse(
	readFileSync(new URL("../../package.json", import.meta.url), "utf8"),
);

/** @throws `refusal`, and Node's error when it cannot listen on a port */
export async function startWorkers(
	options: PrimaryOptions,
): Promise<Pick<Service, "url" | "opsUrl" | "firstKey" | "stop">> {
	const { config, log, refusal } = options;
	const node = randomBytes(6).toString("base64url");
	const port = await findPort(config, refusal);
	let stopped: StopWrites | undefined;
	let isStopping = false;
	const metrics = createMetrics({
		version,
		now: Date.now,
		droppedLogLines: options.droppedLogLines ?? (() => 0),
		traffic: createTraffic().read,
		store: () => undefined,
	});
	const sums = createSums(metrics);
	const supervisor: Supervisor = superviseWorkers({
		count: config.workers,
		log,
		startOf: (isLead) => ({
			...{ port, isLead, node, stopped, logLevel: log.level },
			isOnTerminal: options.isOnTerminal ?? false,
		}),
		replies: { counts: async () => sums.counts(await supervisor.askAll("counts", true)) },
		refusal,
		onStopWrites(cause) {
			if (stopped) return;
			stopped = cause;
			const [reason, fix] = cause;
			supervisor.tell({ kind: "stopWrites", cause });
			log.fatal(reason);
			if (fix === "restart") options.onWritesStopped();
		},
		onEnded: sums.keep,
		onLost: options.onLost,
	});
	log.on("level-change", (level: string) => supervisor.tell({ kind: "logLevel", level }));
	const opsServer = createOpsServer(options, node, metrics, {
		metrics: {
			text: async () => sums.text(await supervisor.askAll("readings", true)),
			contentType: metrics.contentType,
		},
		probes: probesOf(supervisor, () => isStopping),
	});

	async function stop(graceMs = 10_000, cause: object = {}): Promise<void> {
		isStopping = true;
		log.info(cause, "stopping");
		// Before a reply tells a client to connect anew: the queue of a port that closes is lost.
		if (config.stopDelayMs === 0) await supervisor.askAll("stopListening");
		await supervisor.stop(graceMs);
		// The next start tells what is wrong with a store that cannot be opened.
		if (!stopped) await closeAgain(config.databaseUrl, Date.now).catch(() => {});
		metrics.close();
		if (opsServer.listening) await drain(opsServer, { idleMs: 1, graceMs: 1000 });
		log.info("stopped");
	}

	await listen(opsServer, { port: config.opsPort, host: config.opsHost });
	try {
		const { url } = await supervisor.start();
		// Last: if the start failed after this, nobody would see the key.
		const firstKey = options.issuesFirstKey ? (await supervisor.askAll("firstKey"))[0] : undefined;
		const warning = linkWarning(config, new URL(url).hostname.replace(/^\[|\]$/g, ""));
		if (warning) log.warn(warning);
		const opsUrl = urlOf(opsServer);
		log.info({ url, opsUrl, baseUrl: config.baseUrl ?? `${url}/v1`, workers: config.workers }, "listening");
		return { url, opsUrl, firstKey, stop };
	} catch (error) {
		await supervisor.stop(0);
		opsServer.close();
		metrics.close();
		throw error;
	}
}

/** The workers share a port in a way that lets others of this user share it, too: it must be free before. */
async function findPort({ host, port }: Config, refusal: PrimaryOptions["refusal"]): Promise<number> {
	if (process.platform === "win32" || process.platform === "darwin")
		throw refusal([`WORKERS above 1 needs Linux: ${process.platform} does not divide connections among processes`]);
	const server = createServer();
	await listen(server, { port, host });
	const address = server.address();
	await new Promise((resolve) => server.close(resolve));
	return typeof address === "object" && address ? address.port : port;
}

function createOpsServer(
	{ config, log, isOnTerminal = false }: PrimaryOptions,
	node: string,
	{ observeReply }: Metrics,
	options: Pick<OpsOptions, "metrics" | "probes">,
) {
	const requestId = createRequestIds(node);
	const replyWatch = createReplyWatch({ log, requestId, onReply: observeReply, isOnTerminal });
	const refusals = createRefusals({ requestId, fixedHeaders: securityHeaders(config.baseUrl), replyWatch });
	const answer = createOpsHandler({ ...options, host: config.opsHost, fail: refusals.answer });
	return createHttpServer(answer, refusals, { timeouts: defaultTimeouts });
}

/** The worst last. */
const writeStates: WriteState[] = ["working", "slow", "failing", "stopped"];
const worst = (states: WriteState[]) => writeStates[Math.max(0, ...states.map((state) => writeStates.indexOf(state)))];

/** Of the whole service: it is ready while one worker reads, and alive unless only a restart lets creates work. */
function probesOf({ askAll }: Supervisor, isStopping: () => boolean): OpsOptions["probes"] {
	return {
		async ready() {
			if (isStopping()) throw new ApiError("shutting_down", "the service is stopping", 1);
			const states = (await askAll("ready")).filter((state) => state !== undefined);
			if (states.length === 0) throw new ApiError("storage_unavailable", "the store does not read", 1);
			return { status: "ok", writes: worst(states) ?? "working" };
		},
		async live() {
			const writes = worst(await askAll("writes")) ?? "working";
			if (writes !== "stopped") return { status: "ok", writes };
			throw new ApiError("storage_unavailable", "no animal can be added until the service is restarted", 1);
		},
	};
}

/** The sums of all workers; with what those had counted that have ended, as far as it was read before. */
function createSums({ families, replies }: Metrics) {
	let endedReadings: Readings = {};
	let endedCounts: Counts = { uptimeMs: 0, replies: replies(), creates: { animals: 0, batches: 0 } };
	return {
		keep({ readings, counts }: { readings?: Readings; counts?: Counts }): void {
			if (readings) endedReadings = sumCounters(families, [endedReadings, readings]);
			if (counts) endedCounts = addNumbers(endedCounts, counts);
		},
		async text(all: Readings[]): Promise<string> {
			const own = await readAll(families);
			return exposeSum(families, [endedReadings, own, ...all]);
		},
		counts: (all: Counts[]): Counts => ({
			...all.reduce(addNumbers, endedCounts),
			uptimeMs: Math.round(process.uptime() * 1000),
		}),
	};
}

/** Adds all numbers of two values of the same form. */
function addNumbers<Value>(a: Value, b: Value): Value;
function addNumbers(a: unknown, b: unknown): unknown {
	if (typeof a === "number") return a + Number(b);
	if (Array.isArray(a)) return a.map((item, index) => addNumbers(item, (b as unknown[])[index]));
	const others = b as Record<string, unknown>;
	return Object.fromEntries(
		Object.entries(a as object).map(([name, value]) => [name, addNumbers(value, others[name])]),
	);
}
