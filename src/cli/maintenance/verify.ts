// Verifies a whole store or backup: header, schema, every page and every animal. The command only reads, so a service
// may use the store at the same time.

import { existsSync, statSync } from "node:fs";
import { setImmediate as tick } from "node:timers/promises";
import type Database from "better-sqlite3";
import { comparedName } from "../../contract/equal-texts.ts";
import { petStatuses } from "../../contract/pet.ts";
import { checkFields } from "../../contract/validate.ts";
import { checkCategoryName } from "../../files/values.ts";
import {
	busyTimeoutMs,
	compareSchema,
	connect,
	isDamage,
	isNewer,
	readCursorSecret,
	refuseSchema,
	toRefusal,
	verifyHeader,
	versionOf,
} from "../../store/sqlite/file.ts";
import { StoreRefused } from "../../store/store.ts";
import type { LongWork } from "../long-work.ts";
import { fileOf } from "./work.ts";

export interface StoreReport {
	file: string;
	bytes: number;
	schema: number;
	animals: number;
	keys: number;
	idempotencyKeys: number;
	/** The number of categories with a name. */
	categories: number;
	/** Empty if the file is sound. */
	problems: string[];
}

/** SQLite stops after this many problems. */
const problemsMax = 10;

/**
 * Must not run in a process that has the store open: closing a second descriptor of a file releases the file's locks.
 * Writes nothing.
 * @throws StoreRefused if the file is not a store, or cannot be read
 */
export async function verifyStore(databaseUrl: string, work: LongWork): Promise<StoreReport> {
	const file = fileOf(databaseUrl, "pg_amcheck for a database, and pg_verifybackup for a base backup");
	if (!existsSync(file)) throw new StoreRefused(`there is no file at ${file}: name an existing store or backup`);
	const counts = { animals: 0, keys: 0, idempotencyKeys: 0, categories: 0 };
	const report: StoreReport = { file, bytes: statSync(file).size, schema: 0, ...counts, problems: [] };
	try {
		verifyHeader(file, "r");
		using database = connect(file, { readonly: true, timeout: busyTimeoutMs });
		await verifyOpened(database, report, work);
	} catch (error) {
		const { code = "", message } = error as NodeJS.ErrnoException;
		if (code === "EACCES") throw new StoreRefused(`cannot read ${file}: check the permissions`);
		if (/^SQLITE_(CANTOPEN|READONLY)/.test(code))
			throw new StoreRefused(
				`cannot read ${file}: verify it as a user who may write to its folder, or verify a backup`,
			);
		if (!isDamage(code)) throw toRefusal(file, error);
		report.problems.push(message);
	}
	return report;
}

/** Completes the report. If pages or the schema are damaged, the counts stay 0. */
async function verifyOpened(database: Database.Database, report: StoreReport, work: LongWork): Promise<void> {
	const { file, problems } = report;
	// All reads below see one snapshot.
	database.exec("BEGIN");
	report.schema = versionOf(database);
	refuseSchema(report.schema, file);
	const { isWhole, foreign } = compareSchema(database);
	if (!isWhole) return void problems.push("the schema is not that of an animal store");
	if (foreign !== undefined) return void problems.push(`it has ${foreign}`);
	if (isNewer(database)) return void problems.push("a newer animal-store has migrated it: verify it with that version");
	work.onProgress?.({ what: "checking pages", done: 0, total: 0 });
	await tick();
	const said = database.pragma(`integrity_check(${problemsMax})`) as { integrity_check: string }[];
	problems.push(...said.map(({ integrity_check: text }) => text).filter((text) => text !== "ok"));
	if (problems.length > 0) return;
	const count = (table: string) => Number(database.prepare(`SELECT count(*) FROM ${table}`).pluck().get());
	const secret = readCursorSecret(database);
	if (!Buffer.isBuffer(secret) || secret.length !== 32) problems.push("the secret of the cursors is missing");
	work.onProgress?.({ what: "reading animals", done: 0, total: 0 });
	await tick();
	work.signal.throwIfAborted();
	database.function("is_name", { deterministic: true, directOnly: true }, (name) => Number(isName(name)));
	const wrong = count(`pets WHERE ${isWrong}`);
	if (wrong > 0) problems.push(`${wrong} of the animals have an id, a name or a status that is not allowed`);
	if (count(wrongSequence) > 0) problems.push("the stored last id of an animal is missing or wrong");
	if (count(`edits WHERE id NOT BETWEEN 1 AND ${idMax}`) > 0) problems.push("an edit has an id that is not allowed");
	if (count("pragma_page_size WHERE page_size <> 4096") + count("pragma_encoding WHERE encoding <> 'UTF-8'") > 0)
		problems.push("the pages are not of 4096 bytes, or the texts not in UTF-8");
	report.animals = count("pets");
	report.keys = count("keys");
	report.idempotencyKeys = count("idempotency_keys");
	// A backup of an older version may lack these tables.
	const has = (table: string) => count(`sqlite_schema WHERE name = '${table}'`) > 0;
	if (has("categories")) report.categories = count("categories");
	const names = has("categories") ? namesOf(database).safeIntegers().raw().all() : [];
	// Older schemas compare names by another rule.
	if (names.some(isWrongName) || (report.schema >= 8 && names.some(isWronglyFolded)))
		problems.push("a category has a name that is not allowed");
	if (has("pet_counts") && count(wrongCounts) + count(wrongTotals) > 0)
		problems.push("the stored counts of animals by category and status are wrong");
}

/** The categories and statuses whose stored number of animals is wrong. */
const wrongCounts = `(SELECT 1 FROM (
		SELECT category_id, coalesce(status, '') AS status, 1 AS animals FROM pets
		UNION ALL SELECT category_id, status, -animals FROM pet_counts)
	GROUP BY category_id, status HAVING sum(animals) <> 0)`;
const wrongTotals = `(SELECT 1 FROM (
		SELECT status, animals FROM pet_counts UNION ALL SELECT status, -animals FROM pet_totals)
	GROUP BY status HAVING sum(animals) <> 0)`;

/** A read-only connection does not check the constraints of columns, so `isWrong` does. */
const statuses = petStatuses.map((status) => `'${status}'`).join(", ");
const isWrong = `id < 1 OR NOT is_name(name) OR status NOT IN (${statuses})`;
const isName = (name: unknown) => checkFields({ name, categoryId: 1 }).faults === undefined;
type CategoryRow = [id: bigint, name: string, folded: string];
const namesOf = (database: Database.Database) =>
	database.prepare<[], CategoryRow>("SELECT id, name, folded FROM categories");
const isWrongName = ([, name]: CategoryRow) => checkCategoryName({ name }).faults !== undefined;
/** If names were equal, a migration gave all but the first the compared name `ID …` (store/migrations/008.sql). */
const isWronglyFolded = ([id, name, folded]: CategoryRow) => ![comparedName(name), `ID ${id}`].includes(folded);

/** No store reaches a larger id in normal use. Somebody forged it to make the store run out of ids. */
const idMax = 2n ** 62n;
const wrongSequence = `(SELECT 1 FROM (SELECT coalesce(max(id), 0) AS last_id FROM pets)
	LEFT JOIN sqlite_sequence ON name = 'pets'
	WHERE typeof(seq) NOT IN ('integer', 'null') OR coalesce(seq, 0) NOT BETWEEN last_id AND ${idMax})`;
