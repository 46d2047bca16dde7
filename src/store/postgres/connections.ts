// The connections of a node to its database: a pool over one or several servers. It waits for a connection that it has
// when it gets no other, and uses the first server that is a primary.

import pg from "pg";
import { nameOfServer, type PostgresUrl, type Server } from "./url.ts";

/** How long a query waits for a connection. Several servers share it. */
const connectTimeoutMs = 3_000;
/** After a refused connection, how long the pool stays as small as it is. */
const growAgainMs = 1_000;
/** A server that refuses writes again so soon is read-only itself: new connections to it do not help. */
const dropAgainMs = 2_000;

/** SQLSTATEs (PostgreSQL manual, appendix A). */
const readOnly = "25006";
const duplicateName = "42P05";
const notConnected = "08001";

interface Attempts {
	startedAtMs: number;
	/** One text for each server that was tried. */
	causes: string[];
}

type Connected = (
	error: Error | undefined,
	client: pg.PoolClient | undefined,
	release: (error?: unknown) => void,
) => void;

/** What the pool and its connections know of the servers. */
interface Servers {
	all: readonly Server[];
	/** The one that new connections use. */
	current: number;
	/** Connections of an earlier one are closed instead of used. */
	generation: number;
	droppedAtMs: number;
}

/** @param onNamesLost called when a pooler does not keep named statements: these connections use none */
export function createConnections(url: PostgresUrl, options: pg.PoolConfig, onNamesLost: () => void): pg.Pool {
	const servers: Servers = { all: url.servers, current: 0, generation: 0, droppedAtMs: -Infinity };
	class Connection extends pg.Client {
		readonly generation = servers.generation;
		constructor() {
			super({ ...options, ...servers.all[servers.current] });
		}
	}
	const isCurrent = (client: pg.Client) => client instanceof Connection && client.generation === servers.generation;
	const pool = new ServerPool(
		{
			...options,
			connectionTimeoutMillis: Math.ceil(connectTimeoutMs / servers.all.length),
			Client: Connection,
			onConnect: (client) => checkConnection(client, url.target, onNamesLost),
			// A node that had a connection keeps one, when other nodes take all that the server has.
			min: 1,
		},
		servers,
		isCurrent,
	);
	pool.on("error", () => {}); // An idle connection was lost: the next query opens another.
	pool.on("release", (error, client) => {
		if (codeOf(error) !== readOnly || !isCurrent(client)) return;
		if (performance.now() - servers.droppedAtMs < dropAgainMs) return;
		servers.droppedAtMs = performance.now();
		moveOn(servers);
	});
	return pool;
}

/** The next server is tried first, and connections to this one are not used again. */
function moveOn(servers: Servers): void {
	servers.current = (servers.current + 1) % servers.all.length;
	servers.generation++;
}

class ServerPool extends pg.Pool {
	readonly #servers: Servers;
	readonly #isCurrent: (client: pg.Client) => boolean;
	readonly #max: number;
	readonly #open = new Set<pg.PoolClient>();
	#growAtMs = 0;

	constructor(config: pg.PoolConfig, servers: Servers, isCurrent: (client: pg.Client) => boolean) {
		super(config);
		this.#servers = servers;
		this.#isCurrent = isCurrent;
		this.#max = this.options.max;
		this.on("connect", (client) => {
			this.#open.add(client);
			// If a connection in use is lost, its query fails; without a listener the process would end too.
			client.on("error", () => {});
		});
		this.on("remove", (client) => this.#open.delete(client));
	}

	override connect(): Promise<pg.PoolClient>;
	override connect(callback: Connected): void;
	override connect(callback?: Connected): Promise<pg.PoolClient> | undefined {
		const attempts = { startedAtMs: performance.now(), causes: [] };
		if (callback) {
			this.#attempt(callback, attempts);
			return undefined;
		}
		return new Promise((resolve, reject) =>
			this.#attempt((error, client) => (client ? resolve(client) : reject(error)), attempts),
		);
	}

	#attempt(callback: Connected, attempts: Attempts): void {
		const servers = this.#servers;
		if (performance.now() >= this.#growAtMs) this.options.max = this.#max;
		const tried = servers.current;
		super.connect((error, client, release) => {
			if (client && this.#isCurrent(client)) return callback(undefined, client, release);
			if (client) {
				release(true);
				return this.#attempt(callback, attempts);
			}
			const mayTryAgain = !this.ending && performance.now() - attempts.startedAtMs < connectTimeoutMs;
			if (mayTryAgain && this.#open.size > 0) {
				this.options.max = this.#open.size;
				this.#growAtMs = performance.now() + growAgainMs;
				return this.#attempt(callback, attempts);
			}
			const isList = servers.all.length > 1;
			if (isList && servers.current === tried) moveOn(servers);
			attempts.causes.push(causeOf(error, servers.all[tried]));
			if (mayTryAgain && attempts.causes.length < servers.all.length) return this.#attempt(callback, attempts);
			callback(isList ? noPrimary(attempts) : error, undefined, release);
		});
	}
}

function causeOf(error: Error | undefined, server: Server | undefined): string {
	const code = codeOf(error);
	return `${server && nameOfServer(server)} (${(code !== readOnly && code) || error?.message})`;
}

function noPrimary({ causes }: Attempts): Error {
	return Object.assign(new Error(`no primary among ${causes.join(", ")}`), { code: notConnected });
}

function codeOf(error: unknown): string {
	return (error as { code?: string } | undefined)?.code ?? "";
}

/**
 * A pooler has an identity of its own, and may hand each statement to another connection of the server. If the
 * server sees the name of this statement unchanged, the pooler does not follow names.
 */
const aboutServer = {
	name: "aboutServer",
	text: `SELECT current_setting('in_hot_standby', true) = 'on' AS "isStandby",
		current_setting('transaction_read_only', true) = 'on' AS "isReadOnly", pg_backend_pid() AS "processId",
		EXISTS (SELECT 1 FROM pg_prepared_statements WHERE name = 'aboutServer') AS "isNameKept"`,
	query_timeout: connectTimeoutMs,
};

/** @throws Error with the code of a read-only server */
async function checkConnection(
	client: pg.ClientBase & { processID?: number },
	target: PostgresUrl["target"],
	onNamesLost: () => void,
): Promise<void> {
	let isNameTaken = false;
	const { rows } = await client.query(aboutServer).catch((error) => {
		if (codeOf(error) !== duplicateName) throw error;
		isNameTaken = true;
		return client.query({ ...aboutServer, name: undefined });
	});
	const [{ isStandby, isReadOnly, processId, isNameKept }] = rows;
	if (isStandby) throw Object.assign(new Error("a standby"), { code: readOnly });
	if (isReadOnly && target === "read-write") throw Object.assign(new Error("read-only"), { code: readOnly });
	if (!isNameTaken && (!isNameKept || client.processID === processId)) return;
	useNoNames(client);
	onNamesLost();
}

/** The server then plans each statement anew. */
function useNoNames(client: pg.ClientBase): void {
	const query = client.query.bind(client) as (config: unknown, ...rest: unknown[]) => unknown;
	const unnamed = (config: unknown, ...rest: unknown[]) =>
		query(typeof config === "object" ? { ...config, name: undefined } : config, ...rest);
	client.query = unnamed as typeof client.query;
}
