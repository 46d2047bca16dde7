// The connections of a node to its database: shared when the server has no more to give, and left when it is read-only.

import pg from "pg";
import { readOnlyCode } from "./errors.ts";

/** How long a query waits for a connection. */
const connectTimeoutMs = 3_000;
/** After a refused connection, how long no other is tried while the node has some. */
const growAgainMs = 1_000;
const pauseMs = 20;
/** A server that refuses writes again so soon is read-only itself: new connections to its address do not help. */
const leaveAgainMs = 2_000;

type Connected = (
	error: Error | undefined,
	client: pg.PoolClient | undefined,
	release: (error?: unknown) => void,
) => void;

export function createConnections(options: pg.PoolConfig): pg.Pool {
	const left = { count: 0, atMs: -Infinity };
	class Connection extends pg.Client {
		readonly leftBefore = left.count;
	}
	// The address may lead to another server by now, while connections from before still lead to the read-only one.
	const isCurrent = (client: pg.Client) => client instanceof Connection && client.leftBefore === left.count;
	const pool = new NodePool(
		{
			...options,
			connectionTimeoutMillis: connectTimeoutMs,
			Client: Connection,
			// A node that had a connection keeps one, when other nodes take all that the server has.
			min: 1,
		},
		isCurrent,
	);
	pool.on("release", (error, client) => {
		const isReadOnly = (error as { code?: string } | undefined)?.code === readOnlyCode;
		if (!isReadOnly || !isCurrent(client) || performance.now() - left.atMs < leaveAgainMs) return;
		left.count++;
		left.atMs = performance.now();
	});
	return pool;
}

class NodePool extends pg.Pool {
	readonly #isCurrent: (client: pg.Client) => boolean;
	readonly #max: number;
	#open = 0;
	#growAtMs = 0;

	constructor(config: pg.PoolConfig, isCurrent: (client: pg.Client) => boolean) {
		super(config);
		this.#isCurrent = isCurrent;
		this.#max = this.options.max;
		this.on("error", () => {}); // An idle connection was lost: the next query opens another.
		this.on("connect", (client) => {
			this.#open++;
			// If a connection in use is lost, its query fails; without a listener the process would end too.
			client.on("error", () => {});
		});
		this.on("remove", () => this.#open--);
	}

	override connect(): Promise<pg.PoolClient>;
	override connect(callback: Connected): void;
	override connect(callback?: Connected): Promise<pg.PoolClient> | undefined {
		if (callback) {
			this.#attempt(callback, performance.now());
			return undefined;
		}
		return new Promise((resolve, reject) =>
			this.connect((error, client) => (client ? resolve(client) : reject(error))),
		);
	}

	#attempt(callback: Connected, startedAtMs: number): void {
		if (performance.now() >= this.#growAtMs) this.options.max = this.#max;
		super.connect((error, client, release) => {
			if (client && this.#isCurrent(client)) return callback(undefined, client, release);
			if (client) {
				release(true);
				return this.#attempt(callback, startedAtMs);
			}
			const isLate = performance.now() - startedAtMs >= connectTimeoutMs;
			if (this.#open === 0 || this.ending || isLate) return callback(error, undefined, release);
			// The server has no more connections: waits for one that the node has.
			this.options.max = this.#open;
			this.#growAtMs = performance.now() + growAgainMs;
			// A connection that was closed may count as open until its end is known.
			setTimeout(() => this.#attempt(callback, startedAtMs), pauseMs);
		});
	}
}
