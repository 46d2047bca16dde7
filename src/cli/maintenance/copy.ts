// Copies all rows of a store to an empty store, in one transaction per store, and compares the copy with its source.

import { hash } from "node:crypto";
import { setImmediate as tick } from "node:timers/promises";
import { StoreRefused } from "../../store/store.ts";
import { columnList, columnsOf, insertRows, type Row, type TableName, tableNames, tables } from "../../store/tables.ts";
import type { LongWork } from "../long-work.ts";
import type { LockedStore } from "./sqlite.ts";

const cursorSecret = "SELECT value FROM settings WHERE name = 'cursor_secret'";

/**
 * Copies all rows to an empty store. There, the source's cursors stay valid, and new ids follow the source's last id.
 * @returns the number of rows of each table @throws StoreRefused, and the signal's reason
 */
export async function copyStore(
	from: LockedStore,
	to: LockedStore,
	work: LongWork,
	pageRows = 5000,
): Promise<Record<TableName, number>> {
	for (const { name } of Object.values(tables)) {
		if ((await to.query({ text: `SELECT 1 FROM ${name} LIMIT 1` })).length > 0)
			throw new StoreRefused(`the target is not empty (it has ${name}): name an empty one`);
	}
	const copied = {} as Record<TableName, number>;
	for (const table of tableNames) copied[table] = await copyTable(table, from, to, work, pageRows);
	const [[lastId] = []] = await from.query({ text: from.lastId });
	for (const statement of to.keepIds(lastId as bigint)) await to.query(statement);
	// Queries the source once more at the end, because this fails if the source's lock was lost.
	const [secret] = await from.query({ text: cursorSecret });
	await to.query({ text: "UPDATE settings SET value = $1 WHERE name = 'cursor_secret'", values: secret ?? [] });
	return copied;
}

async function copyTable(
	table: TableName,
	from: LockedStore,
	to: LockedStore,
	{ signal, onProgress = () => {} }: LongWork,
	pageRows: number,
): Promise<number> {
	const [[rows] = []] = await from.query({ text: `SELECT count(*) FROM ${tables[table].name}` });
	const total = Number(rows);
	const [source, target] = [createChecksum(), createChecksum()];
	for (const [store, { add }] of [[from, source] as const, [to, target] as const]) {
		let done = 0;
		for await (const page of pagesOf(store, table, pageRows)) {
			add(page);
			if (store === from) for (const statement of insertRows(tables[table], page)) await to.query(statement);
			done += page.length;
			onProgress({ what: store === from ? table : `${table}, compared`, done, total });
			await tick();
			signal.throwIfAborted();
		}
	}
	if (source.result() === target.result()) return total;
	throw new StoreRefused(`the copy differs from its source in ${tables[table].name}: try again`);
}

async function* pagesOf(store: LockedStore, table: TableName, pageRows: number): AsyncGenerator<Row[]> {
	const { name, keyLength } = tables[table];
	const keys = columnsOf(tables[table]).slice(0, keyLength);
	const key = keys.map((column) => column.name).join(", ");
	const given = keys.map(({ type }, index) => `CAST($${index + 1} AS ${type})`);
	const select = `SELECT ${columnList(tables[table])} FROM ${name}`;
	for (let after: Row | undefined; ; ) {
		const where = after ? `WHERE (${key}) > (${given.join(", ")})` : "";
		const page = await store.query({
			text: `${select} ${where} ORDER BY ${key} LIMIT ${pageRows}`,
			values: after ?? [],
		});
		if (page.length === 0) return;
		yield page;
		after = page.at(-1)?.slice(0, keyLength);
	}
}

/** A checksum that does not depend on the order of the rows, because engines sort texts differently. */
function createChecksum() {
	let count = 0;
	let sum = 0n;
	return {
		add(rows: Row[]): void {
			count += rows.length;
			for (const row of rows) {
				const values = row.map((value) => (value === null ? null : `${typeof value} ${value}`));
				const digest = hash("sha256", JSON.stringify(values));
				sum = BigInt.asUintN(128, sum + BigInt(`0x${digest.slice(0, 32)}`));
			}
		},
		result: () => `${count} ${sum}`,
	};
}
