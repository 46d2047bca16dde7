// The connections of a node to its database. When the server has no more, queries share the existing ones; when it
// becomes read-only, they are closed.

import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { createLimit } from "../limit.ts";
import { StorageUnavailable } from "../store.ts";
import { readOnlyCode } from "./errors.ts";

/** How long a query waits for a connection. */
const connectTimeoutMs = 3_000;
/** How long a node uses only its existing connections after the server has refused one. */
const growAgainMs = 1_000;
const pauseMs = 20;
const noWarning = "00000";
/** The share of a node's connections for transactions: reads continue while all of these wait for a lock. */
const longShare = 1 / 4;
/** The most concurrent searches: the server uses at least one core for each. */
const scansMax = 2;

/**
 * Begins a transaction of several statements. If its node is lost between two of them, the server rolls it back after
 * this time: less than `lock_timeout`, so that transactions that wait for its locks still get them. A setting of the
 * transaction works behind any pooler.
 */
export const begin = "BEGIN; SET LOCAL idle_in_transaction_session_timeout = 2000";
/** A server that refuses writes again so soon is read-only itself: new connections to its address do not help. */
const leaveAgainMs = 2_000;

/** A task waits for others as long as a query waits for a connection. */
const limit = (max: number, tasks: string) =>
	createLimit(max, connectTimeoutMs, `a node runs ${max} ${tasks} at a time, and those before this one took too long`);

export class NodePool extends pg.Pool {
	readonly #max: number;
	readonly #limited: ReturnType<typeof limit>;
	/** Runs long reads, only a few at a time. @throws StorageUnavailable after a long wait */
	readonly limitScans: ReturnType<typeof limit>;
	#open = 0;
	#growAtMs = 0;
	/** How often this node has left a read-only server, and when it last did. */
	readonly #left: { count: number; atMs: number };

	/** `min`: the node keeps one connection even if other nodes take all others of the server. */
	constructor(options: pg.PoolConfig) {
		const left = { count: 0, atMs: -Infinity };
		class Connection extends pg.Client {
			readonly leftBefore = left.count;
		}
		super({ ...options, connectionTimeoutMillis: connectTimeoutMs, min: 1, Client: Connection });
		this.#left = left;
		this.#max = this.options.max;
		const share = Math.max(1, Math.floor(this.#max * longShare));
		this.#limited = limit(share, "transactions");
		this.limitScans = limit(Math.min(share, scansMax), "searches");
		this.on("error", () => {}); // An idle connection was lost: the next query opens another.
		this.on("connect", (client) => {
			this.#open++;
			// If a connection in use is lost, its query fails; without a listener the process would end too.
			client.on("error", () => {});
		});
		this.on("remove", () => this.#open--);
		this.on("release", (error, client) => {
			const isReadOnly = (error as { code?: string } | undefined)?.code === readOnlyCode;
			if (!isReadOnly || !this.#isCurrent(client) || performance.now() - left.atMs < leaveAgainMs) return;
			left.count++;
			left.atMs = performance.now();
		});
	}

	/** The address may lead to another server by now, while connections from before still lead to the read-only one. */
	#isCurrent(client: pg.Client): boolean {
		return (client as { leftBefore?: number }).leftBefore === this.#left.count;
	}

	/**
	 * Works on a connection, which is closed if the work fails. A commit with a warning counts as failed: it is on this
	 * server, but its wait for a synchronous standby was cancelled, by a time-out or an operator.
	 * @throws StorageUnavailable after a warning
	 */
	async run<Result>(work: (client: pg.PoolClient) => Promise<Result>): Promise<Result> {
		const client = await this.take();
		let warning: string | undefined;
		const note = ({ code, message }: { code?: string | undefined; message?: string | undefined }) => {
			if (code !== noWarning) warning = message;
		};
		client.on("notice", note);
		try {
			const result = await work(client);
			if (warning !== undefined) throw new StorageUnavailable(`the outcome is unknown: ${warning}`);
			client.release();
			return result;
		} catch (error) {
			client.release(error as Error);
			throw error;
		} finally {
			client.off("notice", note);
		}
	}

	/** Same as `run`, for transactions that may wait for locks. @throws StorageUnavailable after a long wait */
	runLimited<Result>(work: (client: pg.PoolClient) => Promise<Result>): Promise<Result> {
		return this.#limited(() => this.run(work));
	}

	/** Takes a connection. If the server has no more, waits for one that this node already has. */
	async take(): Promise<pg.PoolClient> {
		const startedAtMs = performance.now();
		for (;;) {
			if (performance.now() >= this.#growAtMs) this.options.max = this.#max;
			try {
				const client = await this.connect();
				if (this.#isCurrent(client)) return client;
				client.release(true);
			} catch (error) {
				const isLate = performance.now() - startedAtMs >= connectTimeoutMs;
				if (this.#open === 0 || this.ending || isLate) throw error;
				this.options.max = this.#open;
				this.#growAtMs = performance.now() + growAgainMs;
				// A connection that was closed may count as open until its end is known.
				await sleep(pauseMs);
			}
		}
	}
}
