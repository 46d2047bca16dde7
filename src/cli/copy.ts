// `animal-store copy` copies a whole store to another store, of any engine, with all ids, keys, secrets and
// Idempotency-Keys unchanged.

import { hash } from "node:crypto";
import type { Command } from "commander";
import { problemOfDatabaseUrl } from "../config.ts";
import { openStore } from "../store/open.ts";
import { type Store, StoreRefused } from "../store/store.ts";
import { type Row, type TableName, tableNames, tables } from "../store/tables.ts";
import { CommandError } from "./command-error.ts";
import { sayStore } from "./connection.ts";
import { type Progress, withBar } from "./long-work.ts";
import type { WriteLock } from "./maintenance/sqlite.ts";
import { engineOf } from "./maintenance/work.ts";
import { countOf, printResult } from "./output.ts";

export function copyCommand(command: Command): void {
	command
		.description(
			"copy a store to another one and compare both; stop the service first; if interrupted, run it again to resume",
		)
		.requiredOption("--from <url>", "the store to copy, such as sqlite:./data/animal-store.db")
		.requiredOption("--to <url>", "an empty store, such as postgres://user:password@host:5432/database")
		.option("--json", "the result as JSON")
		.action(copy);
}

async function copy({ from, to, json }: { from: string; to: string; json?: boolean }): Promise<void> {
	checkUrl("--from", from);
	checkUrl("--to", to);
	const { refuseOpenStore, lockWrites } = await engineOf(from);
	await refuseOpenStore(from, "copy");
	const source = await openStore(from, Date.now, { verify: "whole", mustExist: true });
	let lock: WriteLock | undefined;
	try {
		const target = await openStore(to, Date.now);
		const startedAtMs = performance.now();
		try {
			lock = await lockWrites(from);
			const onAgreed = lock.check;
			const copied = await withBar((onProgress) => copyStore({ from: source, to: target, onAgreed, onProgress }));
			sayStore(to);
			const seconds = ((performance.now() - startedAtMs) / 1000).toFixed(1);
			const [pets, keys] = [countOf(copied.pets, "animal"), countOf(copied.keys, "key")];
			const counts = `${pets}, ${keys} and ${countOf(copied.idempotencyKeys, "Idempotency-Key")}`;
			printResult(json, copied, `copied ${counts} in ${seconds} s; both stores agree`);
		} finally {
			await target.close();
		}
	} finally {
		await lock?.release();
		await source.close();
	}
}

/** Commander's own error would print the whole value, including a password. @throws CommandError */
function checkUrl(option: string, url: string): void {
	const problem = problemOfDatabaseUrl(url);
	if (problem !== undefined) throw new CommandError(`${option} ${problem}`);
}

export interface CopyOptions {
	/** Must not be written to during the copy. */
	from: Store;
	/** Empty, or an interrupted copy of the same store. */
	to: Store;
	onProgress: (progress: Progress) => void;
	/** Called when both stores agree. If it rejects, the copy stays unfinished. */
	onAgreed?: () => Promise<void>;
	pageRows?: number;
}

/**
 * Copies all rows, then compares row counts and checksums of both stores. If they differ, copies all rows again: the
 * source's rows may have changed since an interrupted copy.
 * @returns the number of rows of each table
 * @throws StoreRefused if the target contains other data, or if the stores still differ
 */
export async function copyStore(given: CopyOptions): Promise<Record<TableName, number>> {
	const options = { pageRows: 5000, onAgreed: async () => {}, ...given };
	const { from, to, onAgreed } = options;
	await prepareTarget(to, hash("sha256", from.cursorSecret));
	for (let isRepeated = false; ; isRepeated = true) {
		for (const table of tableNames) await copyTable(table, options);
		const { copied, difference } = await compare(options);
		if (difference === undefined) {
			await onAgreed();
			await to.rows.finishCopy({ cursorSecret: from.cursorSecret, lastId: (await from.version()).lastId });
			return copied;
		}
		if (isRepeated)
			throw new StoreRefused(
				`the copy differs from its source in ${difference}: stop all writers of the source, and copy again`,
			);
		await to.rows.clear();
	}
}

async function compare({ from, to, pageRows }: Required<CopyOptions>) {
	const copied = {} as Record<TableName, number>;
	for (const table of tableNames) {
		const [source, target] = [await checksum(from, table, pageRows), await checksum(to, table, pageRows)];
		if (source.count !== target.count || source.sum !== target.sum)
			return { copied, difference: `${tables[table].name} (${source.count} and ${target.count} rows)` };
		copied[table] = source.count;
	}
	return { copied };
}

/** Marks an empty target. Accepts an unfinished copy of the same source. @throws StoreRefused for any other target */
async function prepareTarget({ rows }: Store, mark: string): Promise<void> {
	const found = await rows.readCopyMark();
	if (found === mark) return;
	if (found !== undefined)
		throw new StoreRefused("the target holds an unfinished copy of another store: empty it, or name another one");
	for (const table of tableNames) {
		if ((await rows.count(table)) > 0)
			throw new StoreRefused(`the target is not empty (it has ${tables[table].name}): name an empty one`);
	}
	await rows.markCopy(mark);
}

async function copyTable(table: TableName, options: Required<CopyOptions>): Promise<void> {
	const { from, to, onProgress, pageRows } = options;
	const total = await from.rows.count(table);
	// Animals are copied in id order, so the target has all of them up to its largest id.
	const lastId = table === "pets" ? await to.rows.readLastPetId() : undefined;
	let done = lastId === undefined ? 0 : await to.rows.count("pets");
	onProgress({ what: table, done, total });
	for await (const page of pagesOf(from, table, pageRows, lastId === undefined ? undefined : [lastId])) {
		await to.rows.write(table, page);
		done += page.length;
		onProgress({ what: table, done, total });
	}
}

async function* pagesOf({ rows }: Store, table: TableName, pageRows: number, first?: Row): AsyncGenerator<Row[]> {
	for (let after = first; ; ) {
		const page = await rows.read(table, after, pageRows);
		if (page.length === 0) return;
		yield page;
		after = page.at(-1)?.slice(0, tables[table].keyLength);
	}
}

/** Independent of the order of the rows, because engines sort texts differently. */
async function checksum(store: Store, table: TableName, pageRows: number): Promise<{ count: number; sum: bigint }> {
	let count = 0;
	let sum = 0n;
	for await (const page of pagesOf(store, table, pageRows)) {
		count += page.length;
		for (const row of page) {
			const values = row.map((value) => (value === null ? null : `${typeof value} ${value}`));
			const digest = hash("sha256", JSON.stringify(values));
			sum = BigInt.asUintN(128, sum + BigInt(`0x${digest.slice(0, 32)}`));
		}
	}
	return { count, sum };
}
