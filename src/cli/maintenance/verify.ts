// Verifies a whole store or backup: header, schema, every page and every animal. It only reads: a service may use
// the store at the same time.

import { chmodSync, copyFileSync, existsSync, mkdtempSync, realpathSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate as tick } from "node:timers/promises";
import Database from "better-sqlite3";
import { petStatuses } from "../../contract/pet.ts";
import {
	busyTimeoutMs,
	hasKnownSchema,
	hasWal,
	isDamage,
	readCursorSecret,
	refuseSchema,
	toRefusal,
	verifyHeader,
	versionOf,
} from "../../store/sqlite/file.ts";
import { StoreRefused } from "../../store/store.ts";
import { isToErase } from "../../store/tables.ts";
import type { LongWork } from "../long-work.ts";
import { fileOf } from "./work.ts";

export interface StoreReport {
	file: string;
	bytes: number;
	schema: number;
	animals: number;
	keys: number;
	idempotencyKeys: number;
	/** Those with a name. */
	categories: number;
	/** Names that edits have replaced, which may still be in unused space. */
	namesToErase: number;
	/** Empty if the file is sound. */
	problems: string[];
}

/** SQLite stops after this many problems. */
const problemsMax = 10;

/**
 * Must not run in a process that has the store open: closing a second descriptor of a file ends its locks. Nothing is
 * written.
 * @throws StoreRefused if the file is not a store, or cannot be read
 */
export async function verifyStore(databaseUrl: string, work: LongWork): Promise<StoreReport> {
	const file = fileOf(databaseUrl, "pg_amcheck for a database, and pg_verifybackup for a base backup");
	if (!existsSync(file)) throw new StoreRefused(`there is no file at ${file}: name an existing store or backup`);
	const counts = { animals: 0, keys: 0, idempotencyKeys: 0, categories: 0, namesToErase: 0 };
	const report: StoreReport = { file, bytes: statSync(file).size, schema: 0, ...counts, problems: [] };
	try {
		verifyHeader(file, "r");
		const database = openToRead(file);
		try {
			await verifyOpened(database, report, work);
		} finally {
			database.close();
		}
	} catch (error) {
		const { code = "", message } = error as NodeJS.ErrnoException;
		if (code === "EACCES") throw new StoreRefused(`cannot read ${file}: check the permissions`);
		if (!isDamage(code)) throw toRefusal(file, error);
		report.problems.push(message);
	}
	return report;
}

/** Completes the report, but for the counts of a file whose pages or schema are damaged. */
async function verifyOpened(database: Database.Database, report: StoreReport, work: LongWork): Promise<void> {
	const { file, problems } = report;
	// One snapshot for all that follows.
	database.exec("BEGIN");
	report.schema = versionOf(database);
	refuseSchema(report.schema, file);
	if (!hasKnownSchema(database)) return void problems.push("the schema is not that of an animal store");
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
	const wrong = count(`pets WHERE ${isWrong}`);
	if (wrong > 0) problems.push(`${wrong} of the animals have a name or a status that is not allowed`);
	report.animals = count("pets");
	report.keys = count("keys");
	report.idempotencyKeys = count("idempotency_keys");
	// A backup may be of an older version.
	if (count("sqlite_schema WHERE name = 'categories'") > 0) report.categories = count("categories");
	report.namesToErase = count(`edits WHERE ${isToErase}`);
}

/** A reading connection does not check the constraints of columns. */
const statuses = petStatuses.map((status) => `'${status}'`).join(", ");
const isWrong = `length(name) NOT BETWEEN 1 AND 255 OR status NOT IN (${statuses})`;

/** A store that was closed can be read in place only where SQLite may write beside it. Elsewhere, a copy is read. */
function openToRead(file: string): Database.Database {
	let database: Database.Database | undefined;
	try {
		database = new Database(file, { readonly: true, timeout: busyTimeoutMs });
		database.prepare("SELECT count(*) FROM sqlite_schema").get();
		return database;
	} catch (error) {
		database?.close();
		if (!/^SQLITE_(CANTOPEN|READONLY)/.test((error as NodeJS.ErrnoException).code ?? "")) throw error;
		return openCopy(realpathSync(file));
	}
}

/** The copy has no name any more when this returns. */
function openCopy(file: string): Database.Database {
	const folder = mkdtempSync(join(tmpdir(), "animal-store-verify-"));
	try {
		const copy = join(folder, "copy.db");
		copyFileSync(file, copy);
		chmodSync(copy, 0o600);
		if (hasWal(file)) copyFileSync(`${file}-wal`, `${copy}-wal`);
		const database = new Database(copy);
		database.prepare("SELECT count(*) FROM sqlite_schema").get();
		return database;
	} finally {
		rmSync(folder, { recursive: true });
	}
}
