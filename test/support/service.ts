// A running service for a test: the real one, in this process, on free ports and with a new store.

import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { subscribe } from "node:diagnostics_channel";
import { mkdtempSync, rmSync } from "node:fs";
import type { Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { mock, type TestContext } from "node:test";
import { readConfig } from "../../src/config.ts";
import { type ErrorCode, errors } from "../../src/contract/errors.ts";
import { scopes } from "../../src/contract/operations.ts";
import type { LoadLimits } from "../../src/http/admission.ts";
import { defaultTimeouts, type Timeouts } from "../../src/http/listen.ts";
import { createKey, type Issuer, revokeKey } from "../../src/keys/issue.ts";
import { createLogTo } from "../../src/ops/log.ts";
import { type Service, startService } from "../../src/service.ts";
import { createMixes, isOfMix, mixedOrigin, Pool, posting, type TestRequest } from "./pool.ts";
import { testDatabase } from "./postgres.ts";
import { type CleanUps, until, within } from "./until.ts";
import type { Reply } from "./wire.ts";

export interface TestService extends Service {
	port: number;
	/** A key with all scopes. */
	key: string;
	issuer: Issuer;
	databaseUrl: string;
	/** The log lines so far. */
	log: Record<string, unknown>[];
	/** The service's clock; it shows the real time while `nowMs` is undefined. */
	clock: { nowMs: number | undefined };
	/**
	 * Sends a request, with the key unless `headers` has another, over a connection that other callers use too (pool.ts).
	 * @throws AssertionError if the reply belongs to another request, or the OpenAPI document does not declare it
	 */
	send(request: TestRequest): Promise<Reply>;
}

export interface TestServiceOptions {
	environment?: Record<string, string>;
	timeouts?: Partial<Timeouts>;
	isOnTerminal?: boolean;
	loadLimits?: LoadLimits;
	/** False: only the test's own requests are sent, for tests that count requests. */
	mixes?: boolean;
}

/** Starts a service that ends with the test and must leave nothing behind. */
export async function testService(context: TestContext, options: TestServiceOptions = {}): Promise<TestService> {
	const { url: databaseUrl, drop } = await emptyDatabase();
	const clock: TestService["clock"] = { nowMs: undefined };
	const now = () => clock.nowMs ?? Date.now();
	const log: TestService["log"] = [];
	const { mixes = true } = options;
	const environment: Record<string, string> = { ...(mixes && { CORS_ORIGINS: mixedOrigin }), ...options.environment };
	const before = countResources();
	const starting = startService({
		config: readConfig({ DATABASE_URL: databaseUrl, PORT: "0", OPS_PORT: "0", ...environment }),
		log: createLogTo({ write: (line) => void (isOfMix(line) || log.push(JSON.parse(line))) }, "info"),
		now,
		timeouts: { ...defaultTimeouts, ...options.timeouts },
		isOnTerminal: options.isOnTerminal ?? false,
		// Load shedding is off by default, because the test and other programs delay the event loop.
		loadLimits: options.loadLimits ?? { delayMs: Infinity, ownShare: 1 },
	});
	let pool: Pool | undefined;
	// Removes the database even if the service does not start.
	context.after(async () => {
		for (const leave of visitors.get(context) ?? []) await leave();
		const service = await starting.catch(() => undefined);
		await stopped(service, pool).finally(drop);
		// Runs last, after the test has closed everything that it opened.
		if (service) context.after(() => assertNothingLeft(service, before));
	});
	const service = await within("the service to start", starting);
	const issuer = { rows: service.store.keys, now, random: randomBytes };
	const [{ key }, reader] = await Promise.all([
		createKey(issuer, { name: "test", scopes: [...scopes] }),
		mixes ? createKey(issuer, { name: "reader", scopes: ["pets:read"] }) : undefined,
	]);
	const port = Number(new URL(service.url).port);
	pool = new Pool({
		port,
		key,
		mixes: reader ? createMixes(reader.key, environment["CORS_ORIGINS"] === mixedOrigin) : [],
		first: context.fullName.length,
		linksToHost: !environment["BASE_URL"] && !environment["TRUST_PROXY"],
	});
	const stop: Service["stop"] = (...given) => {
		pool.end();
		return service.stop(...given);
	};
	return { ...service, stop, port, key, issuer, databaseUrl, log, clock, send: (request) => pool.send(request) };
}

async function stopped(service: Service | undefined, pool: Pool | undefined): Promise<void> {
	try {
		if (service) await assertIdle(service);
		await pool?.cut();
		// Connections that a client of this process has kept, such as fetch: a stop would wait a second for them.
		if (service) for (const socket of socketsOf(service.url)) socket.destroy();
	} finally {
		await within("the service to stop", service?.stop(2000) ?? Promise.resolve());
	}
}

/** Functions that run before a test's service stops. One closes pages, which would fail without the service. */
const visitors = new WeakMap<TestContext, (() => Promise<void>)[]>();

export function beforeStop(context: TestContext, leave: () => Promise<void>): void {
	visitors.set(context, [...(visitors.get(context) ?? []), leave]);
}

export function temporaryFolder(context: CleanUps): string {
	const folder = newFolder();
	context.after(() => remove(folder));
	return folder;
}

/** The URL of a new store's file. */
export const temporaryStore = (context: TestContext) => `sqlite:${join(temporaryFolder(context), "animals.db")}`;

/** Folders that still exist. A failed clean-up can keep later ones from running, so the exit removes these folders. */
const folders = new Set<string>();
process.once("exit", () => folders.forEach(remove));

function newFolder(): string {
	const folder = mkdtempSync(join(tmpdir(), "animal-store-test-"));
	folders.add(folder);
	return folder;
}

function remove(folder: string): void {
	rmSync(folder, { recursive: true, force: true });
	folders.delete(folder);
}

/** An empty database of SQLite, or of PostgreSQL for test/contract/http-postgres.test.ts. */
async function emptyDatabase(): Promise<{ url: string; drop: () => Promise<void> }> {
	if (process.env["TEST_ENGINE"] === "postgres") return testDatabase();
	const folder = newFolder();
	return { url: `sqlite:${join(folder, "animals.db")}`, drop: async () => remove(folder) };
}

export const create = posting("/v1/pets");

/** Sends a request to an endpoint of the console. @returns the body of the reply, which must be a 200 that nobody stores */
export async function consoleReply({ send }: TestService, request: TestRequest): Promise<string> {
	const { status, headers, body } = await send(request);
	assert.deepEqual([status, headers["cache-control"], headers["etag"]], [200, "no-store", undefined], body);
	return body;
}

/** Asserts that no log line has the level `error`. */
export function assertNoErrors({ log }: TestService): void {
	const lines = log.filter(({ level }) => level === "error");
	assert.deepEqual(lines, []);
}

/** Revokes a key, and waits until the service refuses it. */
export async function revoke({ issuer, send }: TestService, { id, key }: { id: string; key: string }): Promise<void> {
	await revokeKey(issuer, id);
	const request = { path: "/v1/pets", headers: { Authorization: `Bearer ${key}` } };
	await until("the revoked key to be refused", async () => (await send(request)).status === 401);
}

/** Asserts that the reply has this error code, and the shape that all failures share. */
export function assertFailure(reply: Reply, code: ErrorCode): void {
	const shown = `${reply.status} ${reply.body.slice(0, 300)}`;
	assert.equal(reply.status, errors[code].status, shown);
	assert.equal(reply.headers["content-type"], "application/json", shown);
	assert.equal(reply.headers["cache-control"], "no-store", shown);
	assert.equal(reply.headers["x-content-type-options"], "nosniff", shown);
	const failure = JSON.parse(reply.body);
	assert.deepEqual(Object.keys(failure), ["code", "message", "status"], shown);
	assert.equal(failure.code, code, shown);
	assert.equal(failure.status, reply.status, shown);
	assert.ok(failure.message.length > 10 && failure.message.length < 700, shown);
	assert.doesNotMatch(failure.message, /\bat .*:\d+|node_modules|SQLITE|\.ts\b/, shown);
	assert.equal(reply.headers["www-authenticate"] !== undefined, [401, 403].includes(reply.status), shown);
	assert.match(reply.headers["x-request-id"] ?? "", /^[\w.:+/=-]{1,128}$/, shown);
	if (reply.status === 429 || reply.status === 503)
		assert.match(reply.headers["retry-after"] ?? "", /^[1-9]\d*$/, shown);
	if (reply.status === 405) assert.ok(reply.headers["allow"], shown);
}

/** The server-side sockets of all connections to servers in this process, by port. */
const accepted = new Map<number | undefined, Socket[]>();
subscribe("net.server.socket", (message) => {
	const { socket } = message as { socket: Socket };
	accepted.set(socket.localPort, [...(accepted.get(socket.localPort) ?? []), socket]);
});

// Node lists only intervals that keep the process alive, and most do not. So the tests count intervals themselves.
const { mock: started } = mock.method(globalThis, "setInterval");
const { mock: ended } = mock.method(globalThis, "clearInterval");

/** Counts what a test may leave behind: timers, sockets, threads, and listeners of the process. */
function countResources(): Record<string, number> {
	const cleared = new Set<unknown>(ended.calls.map(({ arguments: [timer] }) => timer));
	// An interval with the longest delay is one that the metrics of the process have turned off.
	const isOn = ({ arguments: [, delayMs = 0] }: (typeof started.calls)[number]) => delayMs < 2 ** 31 - 1;
	const counts: Record<string, number> = {
		intervals: started.calls.filter((call) => isOn(call) && !cleared.has(call.result)).length,
	};
	for (const name of process.getActiveResourcesInfo())
		if (/^(TCP|Timeout|MessagePort|Worker)/.test(name)) counts[name] = (counts[name] ?? 0) + 1;
	for (const name of process.eventNames()) counts[`on ${String(name)}`] = process.listenerCount(name);
	return counts;
}

/** The most listeners that an idle connection needs for one event. */
const listenersMax = 4;

/** @throws Error if a connection that waits for its next request still has listeners of earlier requests */
async function assertIdle({ url }: Service): Promise<void> {
	const isClean = (socket: Socket) =>
		socket.destroyed || socket.eventNames().every((name) => socket.listenerCount(name) <= listenersMax);
	await until("no listener of a request to be left", () => socketsOf(url).every(isClean), { withinMs: 10_000 });
}

/** @throws AssertionError if a request in flight, a connection, a socket, a timer or a listener is left */
async function assertNothingLeft(service: Service, before: Record<string, number>): Promise<void> {
	const sockets = [service.url, service.opsUrl].flatMap(socketsOf);
	const left = () => {
		const { requestsInFlight, connections } = service.traffic();
		const open = sockets.filter(({ destroyed }) => !destroyed).length;
		const now = { ...countResources(), requestsInFlight, connections, open };
		return Object.entries(now).filter(([name, count]) => count > (before[name] ?? 0));
	};
	await until("nothing to be left", () => left().length === 0, { withinMs: 10_000 }).catch(() => {
		assert.deepEqual(left(), []);
	});
}

function socketsOf(url: string): Socket[] {
	return accepted.get(Number(new URL(url).port)) ?? [];
}
