// Moving a whole store into another one, whatever their engines: ids, keys, secrets and Idempotency-Keys as they are.

import { hash } from "node:crypto";
import type { Row } from "./rows.ts";
import { type Store, StoreRefused } from "./store.ts";
import { type TableName, tableNames, tables } from "./tables.ts";

const pageRows = 5000;

export interface CopyOptions {
	/** Nothing may write to it meanwhile. */
	from: Store;
	/** Empty, or the rest of a copy of the same store that was interrupted. */
	to: Store;
	onProgress: (progress: { table: TableName; done: number; total: number }) => void;
}

/**
 * Copies, and then compares both stores row by row (counts and checksums).
 * @returns the number of rows of each table
 * @throws StoreRefused where the target holds something else, or the two differ at the end
 */
export async function copyStore({ from, to, onProgress }: CopyOptions): Promise<Record<TableName, number>> {
	await claim(to, hash("sha256", from.cursorSecret));
	for (const table of tableNames) await copyTable(table, { from, to, onProgress });
	const copied = {} as Record<TableName, number>;
	for (const table of tableNames) {
		const [source, target] = [await checksum(from, table), await checksum(to, table)];
		if (source.count !== target.count || source.sum !== target.sum) {
			throw new StoreRefused(
				`the copy differs from its source in ${tables[table].name} (${source.count} and ${target.count} rows): ` +
					"stop what writes to the source, and copy again",
			);
		}
		copied[table] = source.count;
	}
	await to.rows.finishCopy({ cursorSecret: from.cursorSecret, lastGivenId: await from.rows.lastGivenId() });
	return copied;
}

/** An interrupted copy of the same source goes on; everything else in the target stays as it is. */
async function claim({ rows }: Store, mark: string): Promise<void> {
	const found = await rows.copyMark();
	if (found === mark) return;
	if (found !== undefined)
		throw new StoreRefused("the target holds an unfinished copy of another store: empty it, or name another one");
	for (const table of tableNames) {
		if ((await rows.count(table)) > 0)
			throw new StoreRefused(`the target is not empty (it has ${tables[table].name}): name an empty one`);
	}
	await rows.markCopy(mark);
}

async function copyTable(table: TableName, { from, to, onProgress }: CopyOptions): Promise<void> {
	const total = await from.rows.count(table);
	// Animals come in the order of their ids, so what is there of them is complete up to the largest.
	const lastId = table === "pets" ? await to.rows.lastPetId() : undefined;
	let after: Row | undefined = lastId === undefined ? undefined : [lastId];
	let done = lastId === undefined ? 0 : await to.rows.count("pets");
	onProgress({ table, done, total });
	for (;;) {
		const page = await from.rows.read(table, after, pageRows);
		if (page.length === 0) return;
		await to.rows.write(table, page);
		after = page.at(-1)?.slice(0, tables[table].keyLength);
		done += page.length;
		onProgress({ table, done, total });
	}
}

/** The same for the same rows in any order, because engines order texts differently. */
async function checksum({ rows }: Store, table: TableName): Promise<{ count: number; sum: bigint }> {
	let count = 0;
	let sum = 0n;
	let after: Row | undefined;
	for (;;) {
		const page = await rows.read(table, after, pageRows);
		if (page.length === 0) return { count, sum };
		for (const row of page) {
			const digest = hash(
				"sha256",
				JSON.stringify(row.map((value) => (value === null ? null : `${typeof value} ${value}`))),
			);
			sum = BigInt.asUintN(128, sum + BigInt(`0x${digest.slice(0, 32)}`));
		}
		count += page.length;
		after = page.at(-1)?.slice(0, tables[table].keyLength);
	}
}
