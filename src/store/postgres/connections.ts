// The connections of a node to its database. When the server refuses further connections, queries share the existing
// ones; when the server becomes read-only, the connections are closed.

import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { createLimit } from "../limit.ts";
import { StorageUnavailable } from "../store.ts";
import { readOnlyCode } from "./errors.ts";

/** How long a query waits for a connection. */
const connectTimeoutMs = 3_000;
/** How long a node uses only its existing connections after the server has refused a further one. */
const growAgainMs = 1_000;
const pauseMs = 20;
/** The server's function that warns if the wait for a standby is cancelled. A warning in any language names it. */
const standbyWait = "SyncRepWaitForLSN";
/** The share of a node's connections for transactions, so that reads continue if all transactions wait for locks. */
const longShare = 1 / 4;
/** The most searches at the same time, because the server uses at least one core for each. */
const scansMax = 2;

/**
 * Begins a transaction of several statements. If the node is lost, the server rolls the transaction back after 2 s,
 * before other transactions that wait for its locks reach their `lock_timeout`. SET LOCAL works behind any pooler.
 */
export const begin = "BEGIN; SET LOCAL idle_in_transaction_session_timeout = 2000";
/**
 * SQL that makes its transaction's commit wait for the disk and a required standby, even if a setting of role, database
 * or server has changed since the start. The server also reports a cancelled wait. Returns a non-empty text.
 */
export const durably = `set_config('client_min_messages', 'warning', true) || set_config('synchronous_commit',
	CASE current_setting('synchronous_commit') WHEN 'remote_apply' THEN 'remote_apply' ELSE 'on' END, true)`;
/** For this time after leaving a read-only server, a node keeps its other connections: new ones would lead there. */
const leaveAgainMs = 2_000;

/** A task waits for other tasks at most as long as a query waits for a connection. */
const limit = (max: number, tasks: string) =>
	createLimit(max, connectTimeoutMs, `a node runs ${max} ${tasks} at a time, and the earlier ones took too long`);

export class NodePool extends pg.Pool {
	readonly #max: number;
	/** Runs transactions that may wait for locks, only a few at a time. @throws StorageUnavailable after a long wait */
	readonly limitTransactions: ReturnType<typeof limit>;
	/** Same as `limitTransactions`, for long reads. */
	readonly limitScans: ReturnType<typeof limit>;
	#open = 0;
	#growAtMs = 0;
	/** How often this node has left a read-only server, and when it last left one. */
	readonly #left: { count: number; atMs: number };

	/** With `min: 1`, the node keeps one connection even if other nodes use all other connections of the server. */
	constructor(options: pg.PoolConfig) {
		const left = { count: 0, atMs: -Infinity };
		class Connection extends pg.Client {
			readonly leftBefore = left.count;
		}
		super({ ...options, connectionTimeoutMillis: connectTimeoutMs, min: 1, Client: Connection });
		this.#left = left;
		this.#max = this.options.max;
		const share = Math.max(1, Math.floor(this.#max * longShare));
		this.limitTransactions = limit(share, "transactions");
		this.limitScans = limit(Math.min(share, scansMax), "searches");
		this.on("error", () => {}); // An idle connection was lost: the next query opens a new one.
		this.on("connect", (client) => {
			this.#open++;
			// If a connection in use is lost, its query fails; without this listener, the process would end, too.
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

	/** Whether a connection was opened after this node last left a read-only server: older ones lead to that server. */
	#isCurrent(client: pg.Client): boolean {
		return (client as { leftBefore?: number }).leftBefore === this.#left.count;
	}

	/**
	 * Does work on a connection, and closes the connection if the work fails. If a time-out or an operator cancelled a
	 * commit's wait for a synchronous standby, the commit counts as failed, although this server has stored it.
	 * @throws StorageUnavailable if the server warns of such a cancelled wait; other warnings are ignored
	 */
	async run<Result>(work: (client: pg.PoolClient) => Promise<Result>): Promise<Result> {
		const client = await this.take();
		let warning: string | undefined;
		const note = ({ routine, message }: { routine?: string | undefined; message?: string | undefined }) => {
			if (routine === standbyWait) warning = message;
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

	/** Cancels the statement that this server process runs. Does nothing if the node may have only one connection. */
	async cancel(pid: bigint): Promise<void> {
		if (this.#max > 1) await this.run((client) => client.query("SELECT pg_cancel_backend($1)", [pid])).catch(() => {});
	}

	/** Takes a connection. If the server refuses further connections, waits for one that this node already has. */
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
				// A closed connection still counts as open for a moment, until the pool notices.
				await sleep(pauseMs);
			}
		}
	}
}
