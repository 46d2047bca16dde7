// Starts the whole service in this order, and stops it in the reverse one.
//
// | step | what it starts | what it needs |
// |---|---|---|
// | `buildOps` | counts, metrics, probes, and the operators' port, which does not listen yet | options |
// | `open` | the store; it may be refused, with a message | options, and metrics for its commits and failures |
// | `buildPublic` | check of keys, sweeps, and the public port, which does not listen yet | options, ops, store |
// | `provisionKey` | the key `API_KEY`, if it is set | keys |
// | `listenPublic` | the public port | its server, addresses |
// | `ops.listen` | the operators' port | nothing more |
// | `issueFirstKey` | the first key, once nothing else can fail | keys |
// | `startBackups` | scheduled backups; then the line “listening” | options, ops, store |
//
// A stop sets /readyz to 503, aborts a backup under way, accepts requests for `STOP_DELAY`, answers the requests that
// have arrived, stores the last uses of keys, and closes the store last.

import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { type Config, ConfigError, environmentFor } from "./config.ts";
import type { Log, TrafficCounts } from "./contract/observed.ts";
import { defaultScopes, scopes } from "./contract/operations.ts";
import { connectionsMost, defaultTimeouts, drain, listen, type ServerOptions, urlOf } from "./http/listen.ts";
import { linkWarning } from "./http/proxies.ts";
import { createCors, securityHeaders } from "./http/reply-headers.ts";
import { createReplyWatch } from "./http/reply-watch.ts";
import { type AppOptions, buildApp, buildOpsServer } from "./http/routes.ts";
import { createTraffic } from "./http/traffic.ts";
import { startSweeps } from "./jobs/sweeps.ts";
import { createKey, type Issuer, type KeyRequest } from "./keys/issue.ts";
import { createKeyCheck } from "./keys/key-check.ts";
import { watchActivity } from "./ops/activity.ts";
import { createMetrics } from "./ops/metrics.ts";
import { createProbes } from "./ops/probes.ts";
import { ownProcessor, readMaxDescriptors } from "./ops/processor.ts";
import type { StoreSources } from "./ops/store-metrics.ts";
import { createBackground } from "./store/background.ts";
import type { OpenOptions } from "./store/engine.ts";
import { nameOfStore, openStore, pathOf } from "./store/open.ts";
import { StorageUnavailable, type Store } from "./store/store.ts";

export interface ServiceOptions extends Partial<Pick<ServerOptions, "timeouts">>, Pick<AppOptions, "loadLimits"> {
	config: Config;
	log: Log;
	droppedLogLines?: () => number;
	/** Milliseconds since 1970. */
	now?: () => number;
	/** Creates the first key if the store has none. */
	issuesFirstKey?: boolean;
	isOnTerminal?: boolean;
	/** Called once, when a restart would allow adding animals again. The log has the reason. */
	onRestartNeeded?: () => void;
}

export interface Service {
	/** Address of the public port, such as `http://127.0.0.1:8080`. */
	url: string;
	opsUrl: string;
	/** The key that was created because the store had none. */
	firstKey: string | undefined;
	store: Store;
	/**
	 * Keeps taking requests for the configured delay, while `/readyz` is 503, then closes everything. Requests that
	 * take longer than `graceMs` are cut off. @param cause for the log
	 */
	stop(graceMs?: number, cause?: object): Promise<void>;
	traffic: () => TrafficCounts;
}

const { version }: { version: string } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));

/** How long a connection may be idle while the service stops. The pauses of a connection in use are shorter. */
const idleOnStopMs = 1000;
const stopGraceMs = 10_000;

const pagesFolder = fileURLToPath(new URL("../dist", import.meta.url));

/** @throws StoreRefused, StorageUnavailable, and Node's error when it cannot listen on a port */
export async function startService(options: ServiceOptions): Promise<Service> {
	const { config, log } = options;
	const ops = buildOps(options);
	const store = await open(options, ops);
	const { app, close } = buildPublic(options, ops, store);
	const issuer: Issuer = { rows: store.keys, now: ops.now, random: randomBytes };
	try {
		await provisionKey(issuer, config.apiKey);
		await listenPublic(app.server, config, log);
		await ops.listen();
		// The key is created as late as possible, because nobody would see it if the start failed afterwards.
		const firstKey = options.issuesFirstKey ? await issueFirstKey(issuer) : undefined;
		const backups = await startBackups(options, ops, store);
		ops.noteStore({ store, backups });
		const [url, opsUrl] = [urlOf(app.server), urlOf(ops.server)];
		const { baseUrl = `${url}/v1`, backups: to } = config;
		log.info({ url, opsUrl, baseUrl, store: nameOfStore(config.databaseUrl), backups: to?.folder }, "listening");
		const stop = async (graceMs: number, cause: object) => {
			ops.phase.isStopping = true;
			const backupsStopped = backups?.stop();
			log.info(cause, "stopping");
			// From now on, replies close their connections, so that clients connect to other nodes.
			ops.phase.isClosing = config.stopDelay > 0;
			await sleep(config.stopDelay);
			await close(graceMs, backupsStopped);
			log.info({}, "stopped");
		};
		let stopped: Promise<void> | undefined;
		return {
			...{ url, opsUrl, firstKey, store, traffic: ops.traffic.read },
			stop(graceMs = stopGraceMs, cause = {}) {
				stopped ??= stop(graceMs, cause);
				return stopped;
			},
		};
	} catch (error) {
		ops.phase.isStopping = true;
		await close(stopGraceMs);
		throw error;
	}
}

/** Adds `API_KEY`. @throws StorageUnavailable */
async function provisionKey(issuer: Issuer, key: string | undefined) {
	const provisioned: KeyRequest = { name: "API_KEY", scopes: [...defaultScopes], unless: "same secret" };
	if (key !== undefined) await createKey(issuer, { ...provisioned, key });
}

/** @returns undefined if the store has a key */
async function issueFirstKey(issuer: Issuer): Promise<string | undefined> {
	const first: KeyRequest = { name: "first key", scopes: [...scopes], unless: "any key" };
	const { isAdded, key } = await createKey(issuer, first);
	return isAdded ? key : undefined;
}

async function listenPublic(server: Server, config: Config, log: Log) {
	const { port, host, listenFd, baseUrl, trustProxy: isTrustedProxy } = config;
	await listen(server, listenFd === undefined ? { port, host } : { fd: listenFd }).catch((error) => {
		if (listenFd === undefined) throw error;
		throw new ConfigError([`systemd passed no socket that can listen (${error.code}): fix the socket unit`]);
	});
	const warning = linkWarning({ baseUrl, isTrustedProxy }, (server.address() as AddressInfo).address);
	if (warning) log.warn({}, warning);
}

/** Opens the store, and reports its commits and failures. @throws StoreRefused, StorageUnavailable */
async function open(options: ServiceOptions, ops: Ops): Promise<Store> {
	const { config, log } = options;
	const { now, metrics, background, fatal } = ops;
	const openOptions: OpenOptions = {
		backupFolder: config.backups?.folder,
		background,
		onCreate: (location) => log.warn({}, `created a new store: ${location}`),
		onNotice: (text) => log.info({}, text),
		onCommit(commit) {
			metrics.observeCommit(commit);
			log.debug(commit, "commit");
		},
		onFatal(reason, readsGoOn) {
			log.fatal({}, reason);
			fatal.abort();
			// Reads that go on use the open file. A restart would end them: it would be refused, or would open a new store.
			if (!readsGoOn) options.onRestartNeeded?.();
		},
		connectionsMax: config.databasePoolMax,
		writeWaitMaxMs: config.createWaitMax,
		random: Math.random,
	};
	return openStore(config.databaseUrl, now, openOptions).catch(async (error) => {
		await ops.close();
		throw error;
	});
}

type Ops = ReturnType<typeof buildOps>;

function buildOps(options: ServiceOptions) {
	const { config, log, droppedLogLines = () => 0, now = Date.now, timeouts = defaultTimeouts } = options;
	/** Whether the service stops, and whether replies close their connections. */
	const phase = { isStopping: false, isClosing: false };
	const perAddressMax = config.connectionsPerAddress || Infinity; // 0 is no limit.
	const traffic = createTraffic({ log, perAddressMax, isTrustedProxy: config.trustProxy });
	let sources: StoreSources = {};
	const readSources = () => sources;
	const metrics = createMetrics({ version, droppedLogLines, traffic: traffic.read, store: readSources });
	const background = createBackground((task, error, isFirst) => {
		metrics.observeFailure(task);
		const reason = error instanceof StorageUnavailable ? { cause: error.message } : { err: error };
		if (isFirst) log.error({ task, ...reason }, "background work failed; it is retried later");
	});
	/** Identifies this node in request ids. */
	const node = randomBytes(6).toString("base64url");
	const probes = createProbes(readSources, () => phase.isStopping);
	const watch = createReplyWatch({
		log,
		node,
		onReply: metrics.observeReply,
		isOnTerminal: options.isOnTerminal ?? false,
	});
	const fields = Object.entries(securityHeaders(config.baseUrl)).flat();
	const common = { timeouts, fields, isClosing: () => phase.isClosing, watch };
	const server = buildOpsServer({ metrics, probes, host: config.opsHost, log, server: common });
	return {
		...{ phase, now, metrics, background, traffic, probes, common, server },
		/** Aborts when this process cannot add animals any more. */
		fatal: new AbortController(),
		/** Sets the sources from which probes and metrics report on the store. */
		noteStore(now: StoreSources): void {
			sources = now;
		},
		listen: () => listen(server, { port: config.opsPort, host: config.opsHost }),
		async close() {
			watch.close();
			traffic.close();
			if (server.listening) await drain(server, { idleMs: 1, graceMs: 1000 });
		},
	};
}

/** File descriptors kept for the store (about 45), Node and operators. At most three quarters of the limit are kept. */
const descriptorsKept = 100;

/** The public port, which does not listen yet. */
function buildPublic({ config, log, loadLimits }: ServiceOptions, ops: Ops, store: Store) {
	const { now, metrics, traffic, probes, common, background } = ops;
	const keyCheck = createKeyCheck(store.keys, now, background);
	const stopSweeps = startSweeps(store, background, Math.random);
	const activity = watchActivity(metrics);
	const most = readMaxDescriptors();
	const app = buildApp({
		store,
		keyCheck,
		baseUrl: config.baseUrl,
		isTrustedProxy: config.trustProxy,
		defaultRate: config.rateLimit,
		now,
		log,
		server: {
			...common,
			cors: config.corsOrigins && createCors(config.corsOrigins),
			connectionsMax: Math.min(connectionsMost, Math.max(most - descriptorsKept, Math.floor(most / 4))),
			traffic,
		},
		loadLimits,
		processor: ownProcessor,
		probes,
		async activity() {
			const { counts, version } = await store.countPets();
			return { animals: counts, edits: Number(version.lastEdit), minutes: activity.minutes() };
		},
		pagesFolder,
	});
	/** Answers accepted requests, then closes everything, the store last. */
	async function close(graceMs: number, backupsStopped?: Promise<void>): Promise<void> {
		if (app.server.listening) await drain(app.server, { idleMs: idleOnStopMs, graceMs, phase: ops.phase });
		app.close();
		activity.close();
		await ops.close();
		await keyCheck.close();
		await backupsStopped;
		await stopSweeps();
		await store.close();
	}
	return { app, close };
}

async function startBackups({ config, log }: ServiceOptions, ops: Ops, store: Store) {
	const { now, metrics, fatal } = ops;
	const { backups, databaseUrl } = config;
	if (!backups || backups.everyMs === Infinity) return undefined;
	const { scheduleBackups } = await import("./jobs/scheduled-backups.ts");
	const scheduled = scheduleBackups({
		...backups,
		cursorSecret: store.cursorSecret,
		storeFile: pathOf(databaseUrl),
		environment: environmentFor(databaseUrl),
		now,
		onBackup: (made) => log.info(made, "backup made"),
		onFailure(reason) {
			metrics.observeFailure("backup");
			log.error({ reason }, "backup failed");
		},
		onSameDisk: () => log.warn({ backups: backups.folder }, "backups are on the disk of the store"),
	});
	// After a fatal failure, new backups might be of another file, or damaged, and would replace good ones.
	fatal.signal.addEventListener("abort", scheduled.stop);
	return scheduled;
}
