// Reads of animals in PostgreSQL, from a replica where its rows are those of the primary, and from the primary
// otherwise. A statement on a replica also returns the mark of its snapshot. The primary is asked for its own,
// once per turn.

import { endOfList, type OpenOptions, type StoreUse } from "../store.ts";
import { agreeUpTo, hasSameEdits, lastEdit, toMark } from "./marks.ts";
import type { Query, Statement } from "./pool.ts";
import { askReplica, type Replica, useOfReplicas, watchReplicas } from "./replicas.ts";

export interface PetRead {
	primary: Statement;
	/** The same with `standbyMarkSql` as its last column. */
	replica: Statement;
	values: unknown[];
	/** How many reads of callers it is. */
	count: number;
	/** A replica that has not given this id cannot answer, unless the primary has not either. */
	needs: bigint;
	/** The largest id that the rows depend on. */
	reach(rows: unknown[][]): bigint;
}

export interface PetRows {
	rows: unknown[][];
	/** The last edit that they show, if they tell. */
	lastEdit: bigint | undefined;
}

export interface Reads {
	/** Rows as the primary has them after the call. @throws StorageUnavailable */
	read(read: PetRead): Promise<PetRows>;
	/** The last edit on the primary. @throws StorageUnavailable */
	lastEdit(): Promise<bigint>;
	/** A replica has the animals up to this id; below all ids if there is none. */
	replicatedId(): bigint;
	use(): Required<Pick<StoreUse, "reads" | "replicas">>;
	close(): Promise<void>;
}

/** A replica may hang. */
const closeMaxMs = 1_000;
const belowAllIds = -endOfList - 2n;

export function createReads(query: Query, replicas: readonly Replica[], options: OpenOptions): Reads {
	const reads = { primary: 0, replica: 0 };
	const watch = replicas.length > 0 ? watchReplicas(query, replicas, options) : undefined;
	let turn = 0;

	function choose(needs: bigint): Replica | undefined {
		const able = replicas.filter(({ mark, isLevel }) => mark && (isLevel || needs <= mark.pets));
		return able[turn++ % able.length];
	}

	/** Undefined if only the primary can tell. */
	async function readReplica(replica: Replica, { replica: statement, values, reach }: PetRead) {
		const [primary, rows] = await Promise.all([watch?.latest(), askReplica(replica, statement, values)]);
		if (!primary || !rows?.[0]) return undefined;
		const shown = toMark(rows[0].at(-1));
		if (!shown || !hasSameEdits(shown, primary)) {
			replica.mark = undefined;
			return undefined;
		}
		if (replica.mark) replica.mark = shown;
		if (agreeUpTo(reach(rows), shown, primary)) return { rows, lastEdit: shown.edits };
		replica.isLevel = false;
		return undefined;
	}

	async function readPrimary({ primary, values }: PetRead): Promise<PetRows> {
		const { rows } = await query(primary, values);
		return { rows, lastEdit: rows[0]?.at(-1) };
	}

	return {
		async read(read) {
			const replica = choose(read.needs);
			const found = replica && (await readReplica(replica, read));
			const answer = found ?? (await readPrimary(read));
			reads[found ? "replica" : "primary"] += read.count;
			return answer;
		},
		async lastEdit() {
			return (await watch?.latest())?.edits ?? (await query(lastEdit, [])).rows[0]?.[0];
		},
		replicatedId() {
			let last = belowAllIds;
			for (const { mark } of replicas) if (mark && mark.pets > last) last = mark.pets;
			return last;
		},
		use: () => ({ reads: { ...reads }, replicas: useOfReplicas(replicas) }),
		async close() {
			watch?.close();
			const late = new Promise((resolve) => setTimeout(resolve, closeMaxMs).unref());
			await Promise.race([late, Promise.all(replicas.map(({ pool }) => pool.end()))]);
		},
	};
}
