// The replicas of a PostgreSQL store: which of them answer reads now. One that is away, fails, is slow or lacks
// the last edit is left out, and asked in the background until it answers again.

import type pg from "pg";
import type { OpenOptions, StoreUse } from "../store.ts";
import { createTurnBatch } from "../turn-batch.ts";
import { hasSameEdits, type Mark, newFence, primaryMark, primaryProbe, replicaProbe, toMark } from "./marks.ts";
import { createPool, type Query, type Statement } from "./pool.ts";
import { nameOfServer, parsePostgresUrl } from "./url.ts";

/** A read waits no longer for a replica. */
const answerMaxMs = 250;
/** How long a replica that did not answer a read is left out at least. */
const restMs = 3_000;
const probeEveryMs = 500;
/** Connections on which an answer is awaited for so long are closed. */
const abandonedMs = 1_000;

export interface Replica {
	/** Host and port. */
	readonly name: string;
	readonly pool: pg.Pool;
	/** What it showed last; undefined while it is left out. */
	mark: Mark | undefined;
	/** Whether it had all animals of the primary when both were asked last. */
	isLevel: boolean;
	/** On the monotonic clock. */
	restsUntilMs: number;
	lagBytes: number | undefined;
	/** Why it is left out. */
	fault: string | undefined;
	/** The fault that was told last; undefined: that it answers. */
	toldFault: string | undefined;
}

/** @throws StoreRefused about files of a URL; a replica that is away is left out until it is there */
export function createReplicas({ readUrls = [], connectionsMax, onWarning }: OpenOptions): Replica[] {
	// A new connection may take longer than a read waits: they stay open.
	const timeouts = { statement_timeout: abandonedMs, query_timeout: abandonedMs, idleTimeoutMillis: 0 };
	return readUrls.map(parsePostgresUrl).map((url) => ({
		name: url.servers.map(nameOfServer).join(","),
		pool: createPool(url, { target: "any", timeouts, ...(connectionsMax && { connectionsMax }), onWarning }),
		mark: undefined,
		isLevel: false,
		restsUntilMs: 0,
		lagBytes: undefined,
		fault: "not asked yet",
		toldFault: "not asked yet",
	}));
}

/** @returns the rows, or undefined if the replica does not answer; it is left out then */
export async function askReplica(
	replica: Replica,
	statement: Statement,
	values: unknown[],
): Promise<unknown[][] | undefined> {
	try {
		return await askInTime(replica, statement, values);
	} catch {
		replica.mark = undefined;
		replica.restsUntilMs = performance.now() + restMs;
		return undefined;
	}
}

/** @throws what the server said, or that it is late */
async function askInTime({ pool }: Replica, statement: Statement, values: unknown[]): Promise<unknown[][]> {
	const late = Promise.withResolvers<never>();
	const timer = setTimeout(() => late.reject(new Error(`no answer within ${answerMaxMs} ms`)), answerMaxMs);
	const query: pg.QueryArrayConfig = { ...statement, values, rowMode: "array" };
	try {
		return (await Promise.race([pool.query<unknown[]>(query), late.promise])).rows;
	} finally {
		clearTimeout(timer);
	}
}

export interface ReplicaWatch {
	/**
	 * What the primary shows, asked after the call, once for all reads of a turn. Undefined until this node has written a
	 * fence to the server that is the primary now: replicas of an earlier one may have what was lost.
	 * @throws StorageUnavailable
	 */
	latest(): Promise<Mark | undefined>;
	close(): void;
}

/** @param query asks the primary */
export function watchReplicas(
	query: Query,
	replicas: readonly Replica[],
	{ onNotice, onWarning }: Pick<OpenOptions, "onNotice" | "onWarning">,
): ReplicaWatch {
	let fencedServer: unknown;
	let timer: NodeJS.Timeout | undefined;
	let isClosed = false;

	const toLatest = ([text, server]: unknown[]) => (server === fencedServer ? toMark(text) : undefined);
	const latest = createTurnBatch<"mark", Mark | undefined>(String, async () => [
		toLatest((await query(primaryMark, [])).rows[0] ?? []),
	]);

	async function probe(): Promise<void> {
		const [row = []] = (await query(primaryProbe, [])).rows;
		const primary = toLatest(row);
		if (!primary) fencedServer = (await query(newFence, [])).rows[0]?.[0];
		else
			await Promise.all(
				replicas.map(async (replica) => tell(replica, await probeReplica(replica, primary, Number(row[2])))),
			);
	}
	/** Tells a state that was found twice: a moment behind is nothing to tell. */
	function tell(replica: Replica, fault: string | undefined): void {
		if (fault === replica.fault && fault !== replica.toldFault) {
			replica.toldFault = fault;
			if (fault === undefined) onNotice?.(`the replica ${replica.name} answers reads`);
			else onWarning?.(`the replica ${replica.name} is left out: ${fault}`);
		}
		replica.fault = fault;
	}
	async function probeAgain(): Promise<void> {
		await probe().catch(() => {}); // While the primary is away, nothing is read from replicas.
		if (!isClosed) timer = setTimeout(probeAgain, probeEveryMs).unref();
	}
	void probeAgain();

	return {
		latest: () => latest("mark"),
		close() {
			isClosed = true;
			clearTimeout(timer);
		},
	};
}

/** Also asks replicas that are in use, because of the lag. @returns why the replica is left out, if it is */
async function probeReplica(replica: Replica, primary: Mark, writtenBytes: number): Promise<string | undefined> {
	replica.lagBytes = undefined;
	try {
		const [[text, replayedBytes] = []] = await askInTime(replica, replicaProbe, []);
		const shown = toMark(text);
		const fault = faultOf(replica, shown, primary);
		replica.lagBytes = Math.max(0, writtenBytes - Number(replayedBytes));
		replica.mark = fault === undefined ? shown : undefined;
		replica.isLevel = shown?.pets === primary.pets;
		return fault;
	} catch (error) {
		replica.mark = undefined;
		const { code = "", message } = error as NodeJS.ErrnoException;
		return `${code} ${message}`.trim();
	}
}

function faultOf(replica: Replica, shown: Mark | undefined, primary: Mark): string | undefined {
	if (!shown) return "it is not a physical standby";
	if (hasSameEdits(shown, primary))
		return replica.restsUntilMs > performance.now() ? "it did not answer a read" : undefined;
	if (shown.history === primary.history) return "it has not replayed the last edit";
	return "it has not replayed what this service last wrote to the primary at a start, or it follows another server";
}

export function useOfReplicas(replicas: readonly Replica[]): NonNullable<StoreUse["replicas"]> {
	return replicas.map(({ name, mark, lagBytes }) => ({ name, isInUse: mark !== undefined, lagBytes }));
}
