// Applies the removals that were made after a backup to a copy of the backup, so that a restore does not bring removed
// animals back.

import type Database from "better-sqlite3";
import { connect, migrate } from "../../store/sqlite/file.ts";
import { dialect, rowsOf } from "../../store/sqlite/transaction.ts";
import { StoreRefused } from "../../store/store.ts";
import { createRowWriter, type EditRecord, insertRows, tables } from "../../store/tables.ts";

/**
 * @param draft a copy of the backup that no other process opens, and that is dropped after an error
 * @param log the whole audit log of the store, oldest first
 * @returns the number of animals left
 * @throws StoreRefused if the log does not begin with the backup's audit log
 */
export function applyLaterRemovals(draft: string, log: readonly EditRecord[]): number {
	using database = connect(draft);
	database.pragma("journal_mode = OFF"); // A journal would keep the names.
	migrate(database);
	const later = laterEdits(database, log);
	const removals = later.filter(({ action }) => action === "remove");
	remove(database, removals);
	keepIds(database, later);
	database.exec("VACUUM");
	return Number(database.prepare("SELECT count(*) FROM pets").pluck().get());
}

function laterEdits(database: Database.Database, log: readonly EditRecord[]): EditRecord[] {
	const query = "SELECT id, at_ms, pet_id, action FROM edits ORDER BY id";
	const known = database.prepare(query).safeIntegers().raw().all().map(String);
	const given = log.map(({ id, atMs, petId, action }) => String([id, atMs, petId, action]));
	const isContinued = known.every((row, index) => row === given[index]);
	if (isContinued && log.every(({ id }, index) => id === BigInt(index + 1))) return log.slice(known.length);
	const fix = "name the whole log of the same store, from animal-store audit list --json";
	throw new StoreRefused(`the audit log does not begin with the backup's audit log: ${fix}`);
}

/** Also records the removals of animals that are newer than the backup. */
function remove(database: Database.Database, removals: EditRecord[]): void {
	const ids = `[${removals.map(({ petId }) => petId).join()}]`;
	const isRemoved = "IN (SELECT value FROM json_each(?))";
	database.prepare(`DELETE FROM pets WHERE id ${isRemoved}`).run(ids);
	database.prepare(`UPDATE idempotency_keys SET fingerprint = '' WHERE pet_id ${isRemoved}`).run(ids);
	const lastId = database.prepare("SELECT coalesce(max(id), 0) FROM edits").pluck().safeIntegers().get() as bigint;
	const toEditRow = createRowWriter(tables.edits);
	const rows = removals.map((removal, index) => toEditRow({ ...removal, id: lastId + BigInt(index + 1) }));
	for (const insert of insertRows(tables.edits, rows)) rowsOf(database, insert);
}

/** Keeps the ids of edited animals from being used again, even if the animals are newer than the backup. */
function keepIds(database: Database.Database, edits: EditRecord[]): void {
	const lastIssued = database.prepare("SELECT seq FROM sqlite_sequence WHERE name = 'pets'").pluck().safeIntegers();
	let last = (lastIssued.get() as bigint | undefined) ?? 0n;
	for (const { petId } of edits) if (petId > last) last = petId;
	for (const statement of dialect.keepIds(last)) rowsOf(database, statement);
}
